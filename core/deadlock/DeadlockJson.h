// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/deadlock/Deadlock.h"

#include <QJsonArray>
#include <QJsonObject>

namespace lockscope::deadlock {

/// The version of the form below; grows when a field changes its meaning or goes, not when one is added.
inline constexpr int deadlockJsonFormat = 1;

/// A report with all its deadlocks, for scripts.
///
///   format, kind ("deadlock" | "blocked" | "live"), engine ("sqlserver" | "postgres" | "sqlite")
///   source       {place, form, line, event}
///   time         ISO 8601 in UTC, null if unknown; time_zone_known: false if it is the server's local time
///   participants [{key, session, thread, user, program, host, database, isolation, state, log_used_bytes,
///                  priority, waited_ms, wait_resource, transaction, transaction_started, batch_started (as
///                  told), open_transactions, statement, input_buffer, frames [{procedure, line, statement,
///                  native}], listed}]
///   resources    [{element, kind, name, database, table, index, part, mode, is_lock}]
///   edges        [{participant, resource, kind ("holds" | "awaits"), mode, converts, among_owners, implied}]
///   deadlocks    [{family, title, summary, links [{waiter, blocker, resource, awaited, held, converts,
///   queue}],
///                  victims, tables, sequence, findings [{id, certainty, says, rests_on, would_prove,
///                  hedge}]}]
///   victims, complaints, raw
///
/// Participants and resources are named by their place in the lists.
QJsonObject toJson(const ReportPtr& report);

} // namespace lockscope::deadlock
