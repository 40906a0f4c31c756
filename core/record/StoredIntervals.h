// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/domain/LockTable.h"
#include "core/record/RecordedLock.h"
#include "core/record/Store.h"

#include <QList>
#include <QStringList>

#include <functional>
#include <optional>

/// Reads the intervals of RecordingReader from a store. Blocks; the store's thread.
namespace lockscope::record {

/// One line of "who held it, and when".
struct HistoryLine {
    QString kind; ///< of the resource
    QString database;
    QString lock;
    bool waited = false;
    QString mode;
    LockOwnerInfo party;
    ServerTime from;
    bool fromExact = false; ///< else: at the latest then
    ServerTime to; ///< seen until then
    std::optional<ServerTime> gone{}; ///< not there any more then
    QString identity{}; ///< of the lock, see RecordedLock
    ServerTime partyStarted{}; ///< see RecordedParty
    bool goesOn = false; ///< it was there at the last poll of all
    Sightings sightings{};

    RecordedLock recordedLock() const
    {
        return {.kind = kind, .database = database, .identity = identity, .name = lock};
    }
    RecordedParty recordedParty() const
    {
        return {.session = party.session,
            .started = partyStarted,
            .user = party.owner,
            .program = party.program,
            .host = party.host};
    }
};

using IntervalSink = std::function<void(const IntervalRow&)>;

/// False ends the reading. It must not ask the store anything.
using HistorySink = std::function<bool(const HistoryLine&)>;

/// Returns the pattern of LIKE for what a person wrote: "%" stands for any text, "\" takes the next character
/// as it is. A text without "%" is searched anywhere, with all its characters as they are.
QString likePattern(const QString& text);

} // namespace lockscope::record
