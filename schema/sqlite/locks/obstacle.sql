-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Who is in the way of the waiter with ticket ?2 and token ?3: the holder, or the live waiter whose turn it is; how long
-- it may last. There are no sessions.
SELECT
    expires_at - CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER), owner, host, program, process_id, NULL
FROM (
    SELECT 0 AS place, 0 AS ticket, owner, host, program, process_id, expires_at
    FROM lockscope_lock_entry WHERE name = ?1
    UNION ALL
    SELECT 1, w.ticket, w.owner, w.host, w.program, w.process_id, w.expires_at
    FROM lockscope_lock_waiter AS w
    WHERE w.name = ?1 AND w.token <> ?3 AND w.ticket < coalesce(
        (SELECT m.ticket FROM lockscope_lock_waiter AS m WHERE m.ticket = ?2 AND m.name = ?1 AND m.token = ?3),
        9223372036854775807))
WHERE expires_at > CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER)
ORDER BY place, ticket LIMIT 1
