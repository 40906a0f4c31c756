// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Recordings.h"

#include "app/lockctl/Command.h"
#include "core/base/Duration.h"

#include <QDateTime>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

void addRecording(Command& command)
{
    command.addValue(
        u"recording"_s, u"FILE"_s, u"Look at this recording and not at a server; see lockctl record."_s);
    command.addValue(u"at"_s, u"TIME"_s,
        u"With --recording: how it was then. \"2026-11-22T03:12:07Z\", without a zone this computer's; or so "
        "long before the last moment: \"5min\"."_s);
}

Result<ServerTime> parseMoment(const QString& text, ServerTime last)
{
    if (const auto ago = parseDuration(text))
        return last - *ago;
    const QDateTime time = QDateTime::fromString(text, Qt::ISODateWithMs);
    if (!time.isValid())
        return failure(ErrorKind::BadInput, u"'%1' is no time."_s.arg(text),
            u"Write 2026-11-22T03:12:07Z, or 5min for so long before the last moment."_s);
    return ServerTime{time.toMSecsSinceEpoch() * 1'000};
}

Result<SnapshotPtr> momentOf(const CommandLine& line)
{
    const auto reader = record::RecordingReader::open(line.value(u"recording"_s));
    if (!reader)
        return Failure(reader.error());
    const auto span = (*reader)->span();
    if (!span)
        return Failure(span.error());
    Result<ServerTime> at = span->last;
    if (line.has(u"at"_s))
        at = parseMoment(line.value(u"at"_s), span->last);
    if (!at)
        return Failure(at.error());
    if (*at < span->first)
        return failure(
            ErrorKind::MissingObject, u"The recording begins at %1."_s.arg(span->first.toIsoString()));
    return (*reader)->at(*at);
}

} // namespace lockscope::ctl
