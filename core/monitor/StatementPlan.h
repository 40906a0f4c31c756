// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/domain/Session.h"

namespace lockscope::monitor {

/// The plan by which a session's statement runs: XML as the server keeps it, which other tools open from a
/// file *.sqlplan. On request only, never in a poll: plans are large, and to take many of them at once holds
/// up the server. `session.started` invalid: whichever session has this id now. Without a plan the error says
/// why: no such session, nothing runs, no right, or an engine that shows none. Blocks for a round trip.
Result<QString> statementPlan(
    db::Connection& connection, const SessionKey& session, std::stop_token stop = {});

/// True if PostgreSQL shows the progress of such a statement: VACUUM, ANALYZE, CREATE INDEX, REINDEX,
/// CLUSTER, COPY; those of its own workers ("autovacuum: VACUUM …"), too.
bool reportsProgress(const Session& session);

/// "vacuuming indexes, 40 % (400 of 1,000 blocks)", of a session that reportsProgress. On request only, never
/// in a poll. An error if it runs no such command any more, or if this version does not show it. Blocks for a
/// round trip.
Result<QString> commandProgress(
    db::Connection& connection, const Session& session, std::stop_token stop = {});

} // namespace lockscope::monitor
