// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/record/RecordingClient.h"

#include "core/record/Damage.h"
#include "core/record/RecordingFile.h"

#include <QFileInfo>

namespace lockscope::record {

using namespace Qt::StringLiterals;

Result<void> RecordingClient::Recording::open()
{
    // One that is deleted can still be read; one that was set aside is not what is recorded now.
    if (reader && (!reader->hasMoved() || !QFileInfo::exists(place)))
        return {};
    reader.reset();
    LOCKSCOPE_TRY_GET(auto opened, RecordingReader::open(place, passwords));
    if (const Identity& whose = opened->identity(); !of.server.isEmpty() && !isOfOneServer(whose, of))
        return failure(ErrorKind::BadInput,
            u"%1 is a recording of %2 and not of %3."_s.arg(place, whose.server, of.server));
    reader = std::move(opened);
    return {};
}

void RecordingClient::Recording::fail(const Error& error)
{
    if (damaged && isDamage(error) && !reader->hasMoved())
        damaged(error);
    reader.reset();
}

RecordingClient::RecordingClient(
    QString place, Identity of, db::PasswordProvider passwords, DamageSink damaged)
    : m_place(std::move(place))
    , m_of(std::move(of))
    , m_recording(std::make_shared<Recording>(Recording{.place = m_place,
          .of = m_of,
          .passwords = std::move(passwords),
          .damaged = std::move(damaged),
          .reader = nullptr}))
    , m_worker([recording = m_recording] { recording->reader.reset(); })
{
}

} // namespace lockscope::record
