-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Takes a lock-table name if it is free or stale and no live waiter is ahead; no row if not. ?4 is the caller's ticket,
-- which counts only with its token ?2. Triggers give the fencing number, which RETURNING can't see: granted.sql reads it.
INSERT INTO lockscope_lock_entry (name, token, acquired_at, expires_at, owner, host, program, process_id)
SELECT ?1, ?2, n.now, n.now + ?3, ?5, ?6, ?7, ?8
FROM (SELECT CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER) AS now) AS n
WHERE NOT EXISTS (
    SELECT 1 FROM lockscope_lock_waiter AS w
    WHERE w.name = ?1 AND w.token <> ?2 AND w.expires_at > n.now
        AND w.ticket < coalesce(
            (SELECT m.ticket FROM lockscope_lock_waiter AS m WHERE m.ticket = ?4 AND m.name = ?1 AND m.token = ?2),
            9223372036854775807))
ON CONFLICT (name) DO UPDATE SET
    token = excluded.token, acquired_at = excluded.acquired_at, expires_at = excluded.expires_at,
    owner = excluded.owner, host = excluded.host, program = excluded.program, process_id = excluded.process_id
    WHERE lockscope_lock_entry.expires_at <= excluded.acquired_at
RETURNING 1
