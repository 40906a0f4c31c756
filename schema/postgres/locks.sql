-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The lock table: taking, renewing and releasing entries, and whether their holders live.

-- name: acquire
-- Takes a lock-table name, or queues for it, or says who has it; see install.sql.
SELECT
    a.fencing,
    a.acquired_us,
    a.expires_us,
    a.ticket,
    a.recheck_us,
    a.holder_owner,
    a.holder_host,
    a.holder_program,
    a.holder_process_id,
    a.holder_session_id,
    0 AS code
FROM lockscope.acquire_lock($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS a;

-- name: renew
-- The new end of the lease; NULL if the row is not ours any more.
SELECT lockscope.renew_lock($1, $2, $3);

-- name: release
-- True if the row was still ours and is gone now.
SELECT lockscope.release_lock($1, $2);

-- name: leave_queue
-- A waiter gives up, with whatever was granted to it meanwhile.
SELECT lockscope.leave_queue($1, $2);

-- name: heartbeat
-- Whether the session that holds a lock still gets an answer.
/* heartbeat of a lock's holder */ SELECT 1;

-- name: held_entries
-- Which of our grants (a JSON array of id, name, token) still have their row, and until when. A grant of before a failover
-- counts as lost: see install.sql.
SELECT
    g.id,
    (extract(epoch FROM e.expires_at) * 1000000)::bigint
FROM jsonb_to_recordset($1::text::jsonb) AS g (id bigint, name text, token text)
INNER JOIN lockscope.lock_entry AS e ON g.name = e.name AND g.token = e.token
WHERE e.fencing >= lockscope.current_epoch() * 1099511627776;

-- name: live_sessions
-- Which of our sessions (a JSON array of id, pid, started) are still there. A session id alone may have been reused.
SELECT s.id
FROM jsonb_to_recordset($1::text::jsonb) AS s(id bigint, pid integer, started bigint)
JOIN pg_stat_activity AS a
    ON a.pid = s.pid AND coalesce((extract(epoch FROM a.backend_start) * 1000000)::bigint, s.started) = s.started;

-- name: entry_age
-- For how long somebody has had the name, in microseconds; no row if nobody has it.
SELECT (extract(epoch FROM clock_timestamp() - e.acquired_at) * 1000000)::bigint FROM lockscope.lock_entry AS e WHERE e.name = $1;
