// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/LockTable.h"
#include "core/record/RecordedLock.h"

#include <optional>

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

    RecordedLock recordedLock() const { return {kind, database, identity, lock}; }
    RecordedParty recordedParty() const
    {
        return {party.session, partyStarted, party.owner, party.program, party.host};
    }
};

} // namespace lockscope::record
