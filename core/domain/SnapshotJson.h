// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

#include <QJsonArray>
#include <QJsonObject>

#include <functional>

namespace lockscope {

/// The version of the form below; grows when a field changes its meaning or goes, not when one is added.
inline constexpr int snapshotJsonFormat = 1;

/// A snapshot as JSON, for scripts and recordings.
///
///   format, engine ("sqlserver" | "postgres" | "sqlite"), server, server_version, taken_at, number
///   cost         {round_trip_us, server_us, client_us, round_trips, rows}
///   locks        [{session, session_started, kind, resource, database, key {database, entity, part, text},
///   mode,
///                  state ("granted" | "waiting" | "converting"), granted, owner, count, ordinal, since,
///                  since_exact, age_ms, blocked_by [sessions], framework}], in the order of the snapshot:
///                  waiters of one resource in queue order
///                  framework, whose lock it is, or null: {id, lock, framework, name, certain, evidence}
///   waits        [{waiter, blocker, resource, kind ("holder" | "queue")}]
///   sessions     [{id, started, state, user, database, program, host, statement, statement_visible,
///   wait_event,
///                  state_since, transaction_started, statement_started, leader, percent_done, time_left_ms,
///                  unit_of_work, own, system, address, isolation, open_transactions, transaction_id,
///                  snapshot_age, memory_grant_bytes, log_bytes, wait_resource, input_buffer,
///                  work_since_login {cpu_ms, logical_reads, reads, writes}, work_of_statement {…}}];
///                  figures that the engine does not give are null
///   entries      [{table, name, token, fencing, acquired_at, expires_at, stale, attached, raw_time,
///                  bad_row (why the row can't be right, or null), holder {owner, host, program,
///                  process_id, session}, framework}]; where something is known of the holder also
///                  holder_life {verdict ("works" | "silent" | "gone" | "unknown"), evidence (sentences),
///                  overturned_by}; of a framework's row also stored (what is compared before it is freed, as
///                  texts, null for NULL), holder_text (its own text for the holder), heartbeat,
///                  depends_on_zone
///   entry_waiters [{table, name, ticket, registered_at, expires_at, expired, bad_row, waiter {…}}]
///   unread_tables [{framework, schema, table, owner, reason}]: look like a framework's, and are not read
///   limitations  [{kind ("missing permission" | "missing schema" | "capped rows" | "unsupported" | "failed"
///                  | "bad rows"), what, remedy, shown, total}]; with "failed" something may be missing
///
/// Times are ISO 8601 in UTC by the server's clock with microseconds, null if unknown; sessions are numbers,
/// null if unknown. Parts of keys are texts, because 64-bit numbers don't survive every reader of JSON.
QJsonObject toJson(const Snapshot& snapshot);
/// The same as text in one line, given to `write` piece by piece: 100,000 locks need no memory for it.
void writeJson(const Snapshot& snapshot, const std::function<void(const QByteArray& utf8)>& write);

QJsonObject toJson(const LockTableEntry& entry, ServerTime now);
QJsonObject toJson(const Session& session);
QJsonValue toJson(std::optional<ServerTime> time);

} // namespace lockscope
