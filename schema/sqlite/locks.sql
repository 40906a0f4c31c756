-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The lock table: taking, renewing and releasing entries, and whether their holders live.

-- name: acquire
-- Takes a lock-table name if it is free or stale and no live waiter is ahead; no row if not. ?4 is the caller's ticket,
-- which counts only with its token ?2. Triggers give the fencing number, which RETURNING can't see: `granted` reads it.
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
RETURNING 1;

-- name: granted
-- What `acquire` has obtained. ?1 name, ?2 token.
SELECT fencing, acquired_at, expires_at FROM lockscope_lock_entry WHERE name = ?1 AND token = ?2;

-- name: renew
-- The new end of the lease; no row if the lock is not ours any more. However far back the clock was set, it ends after it
-- began.
UPDATE lockscope_lock_entry SET expires_at = max(CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER) + ?3, acquired_at + 1)
WHERE name = ?1 AND token = ?2 RETURNING expires_at;

-- name: release
-- Frees a name if the row is still ours.
DELETE FROM lockscope_lock_entry WHERE name = ?1 AND token = ?2;

-- name: register_waiter
-- Joins the visible queue for 2 s; the ticket is the place in it. ?2: the token that the caller will take the name with.
INSERT INTO lockscope_lock_waiter (name, token, registered_at, expires_at, owner, host, program, process_id)
SELECT ?1, ?2, n.now, n.now + 2000000, ?3, ?4, ?5, ?6
FROM (SELECT CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER) AS now) AS n
RETURNING ticket;

-- name: renew_waiter
-- Still waiting; no row if the registration is gone. ?1 ticket, ?2 token.
UPDATE lockscope_lock_waiter SET expires_at = CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER) + 2000000
WHERE ticket = ?1 AND token = ?2 RETURNING ticket;

-- name: remove_waiter
-- Leaves the queue. ?1 ticket, ?2 token.
DELETE FROM lockscope_lock_waiter WHERE ticket = ?1 AND token = ?2;

-- name: drop_expired_waiters
-- Crashed waiters leave the queue. They are passed over at once; the row stays a while, because who could not renew it
-- for want of the file keeps the place that way.
DELETE FROM lockscope_lock_waiter WHERE name = ?1 AND expires_at <= CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER) - 10000000;

-- name: obstacle
-- Who blocks the waiter with ticket ?2 and token ?3: the holder, or the live waiter whose turn it is; how long
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
ORDER BY place, ticket LIMIT 1;

-- name: data_version
-- Changes whenever another connection commits to the file.
PRAGMA data_version;

-- name: held_entries
-- Which of our grants (a JSON array of id, name, token) still have their row, and until when.
SELECT json_extract(g.value, '$.id'), e.expires_at
FROM json_each(?1) AS g
JOIN lockscope_lock_entry AS e
    ON e.name = json_extract(g.value, '$.name') AND e.token = json_extract(g.value, '$.token');

-- name: entry_age
-- For how long somebody has had the name, in microseconds; no row if nobody has it.
SELECT CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER) - acquired_at FROM lockscope_lock_entry WHERE name = ?1;
