// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Statement.h"
#include "core/domain/Session.h"
#include "core/monitor/postgres/PostgresNames.h"

namespace lockscope::monitor {

/// A row of postgres/monitor/sessions, its role and database still numbers.
struct PostgresSession {
    Session session;
    SessionId id; ///< also after the session was moved into a snapshot
    quint32 role = 0;
    quint32 database = 0;
    bool waitsForSafeSnapshot = false;
    /// The sessions whose end it waits for before it has a safe snapshot; nothing if it waits for none, or if
    /// that was not asked.
    std::optional<std::vector<SessionId>> safeSnapshotAfter;
    /// The oldest transaction that its snapshot still sees as running.
    std::optional<quint32> oldestSeen;

    static PostgresSession fromRow(const db::Row& row, bool withStatements, SessionId own);
    /// `next`: the transaction id that the server gives next.
    std::optional<qint64> snapshotAge(quint32 next) const;
};

/// A prepared transaction, shown as a session because it holds locks as one: its id is the transaction id,
/// negated. `known` is null if it ended before its name could be read.
Session preparedSession(SessionId id, const PostgresNames::Prepared* known);

} // namespace lockscope::monitor
