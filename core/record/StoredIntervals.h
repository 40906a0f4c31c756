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

Result<void> historyOf(
    Store& store, const QStringList& locks, ServerTime from, ServerTime to, const HistorySink& each);
Result<QList<HistoryLine>> lifeOf(
    Store& store, const RecordedLock& lock, ServerTime from, ServerTime to, qint64 maximum);
Result<QList<HistoryLine>> lifeOf(
    Store& store, SessionId session, ServerTime started, ServerTime from, ServerTime to, qint64 maximum);
Result<void> waitsIn(Store& store, ServerTime from, ServerTime to, const IntervalSink& each);
Result<void> holdsIn(Store& store, ServerTime from, ServerTime to, const IntervalSink& each);
Result<RecordedLock> lockOf(Store& store, qint64 resource);
Result<RecordedParty> partyOf(Store& store, qint64 party);
Result<QList<RecordedLock>> locksNamed(Store& store, const QString& name);
/// Returns the pattern of LIKE for what a person wrote: "%" stands for any text, "\" takes the next character
/// as it is. A text without "%" is searched anywhere, with all its characters as they are.
QString likePattern(const QString& text);
/// Returns at most `maxCount`, by name. `pattern` is one of LIKE.
Result<QStringList> lockNamesLike(Store& store, const QString& pattern, qint64 maxCount);
Result<QList<RecordedParty>> livesOf(Store& store, SessionId session);

} // namespace lockscope::record
