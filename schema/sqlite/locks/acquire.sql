-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Takes a lock-table name if it is free or stale and no live waiter with an earlier ticket (?4) is there; no row if not.
-- Runs inside BEGIN IMMEDIATE, which makes the next fencing number ours.
INSERT INTO lockscope_lock_entry (name, token, fencing, acquired_at, expires_at, owner, host, program, process_id)
SELECT ?1, ?2, (SELECT last + 1 FROM lockscope_fencing), n.now, n.now + ?3, ?5, ?6, ?7, ?8
FROM (SELECT CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER) AS now) AS n
WHERE NOT EXISTS (
    SELECT 1 FROM lockscope_lock_waiter AS w WHERE w.name = ?1 AND w.ticket < ?4 AND w.expires_at > n.now)
ON CONFLICT (name) DO UPDATE SET
    token = excluded.token, fencing = excluded.fencing, acquired_at = excluded.acquired_at,
    expires_at = excluded.expires_at, owner = excluded.owner, host = excluded.host, program = excluded.program,
    process_id = excluded.process_id
    WHERE lockscope_lock_entry.expires_at <= excluded.acquired_at
RETURNING fencing, acquired_at, expires_at
