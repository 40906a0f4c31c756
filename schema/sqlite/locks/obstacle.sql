-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Who is in the way of the waiter with ticket ?2: the holder, or the live waiter whose turn it is; how long it may last.
-- There are no sessions.
SELECT
    expires_at - CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER), owner, host, program, process_id, NULL
FROM (
    SELECT 0 AS place, 0 AS ticket, owner, host, program, process_id, expires_at
    FROM lockscope_lock_entry WHERE name = ?1
    UNION ALL
    SELECT 1, ticket, owner, host, program, process_id, expires_at
    FROM lockscope_lock_waiter WHERE name = ?1 AND ticket < ?2)
WHERE expires_at > CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER)
ORDER BY place, ticket LIMIT 1
