-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What a connection asks and sets when it begins, and its transactions.

-- name: backend
-- The first thing that a connection asks, before anything is set: which process answers? Behind a pooler it is not the
-- one that the log-in named. Resolves nothing in the search_path.
SELECT pg_catalog.pg_backend_pid();

-- name: path
-- Before anything else: names, operators and casts are the system's, whatever others have planted in other schemas, and
-- whatever the database or the role sets. Temporary objects come last, or they would come first.
SET search_path = pg_catalog, pg_temp;

-- name: run_path
-- The path of a scenario run, whose SQL makes and uses objects of the run's own schema. pg_catalog, which is not named,
-- is searched before it; if it were named, it would be where new objects go.
SET search_path = {schema}, pg_temp;

-- name: bytes
-- A database in SQL_ASCII holds any bytes. With another encoding of ours the server refuses every row that has one which
-- is no UTF-8; so they come as they are.
SET client_encoding = 'SQL_ASCII';

-- name: facts
-- When this session began: a session id alone is reused.
SELECT (extract(epoch FROM backend_start) * 1000000)::bigint
FROM pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid());

-- name: lock
-- A lock lives as long as its session, so nothing may end that session or cut a wait but its owner ($1 = statement
-- time-out in ms, 0 = none; $2 = application name). The server looks for the client's end once a second, so that the
-- waiter of a killed program leaves the queue (only where the server's system can).
-- It looks for a machine that vanished from the network, too, but later than the holder looks for the server: after 20 s
-- without a sign, when the holder has known for 8 s that its lock is lost.
-- Plan trap: a statement planned while the lock table was empty keeps a sequential scan for ever; hence no such plans.
-- Settings that this server's version does not know are left out.
SELECT pg_catalog.set_config(known.name, wanted.setting, false)
FROM (VALUES
    ('statement_timeout', $1::text),
    ('application_name', $2),
    ('lock_timeout', '0'),
    ('idle_in_transaction_session_timeout', '0'),
    ('idle_session_timeout', '0'),
    ('tcp_keepalives_idle', '10'),
    ('tcp_keepalives_interval', '5'),
    ('tcp_keepalives_count', '3'),
    ('tcp_user_timeout', '20000'),
    ('enable_seqscan', 'off'),
    ('DateStyle', 'ISO'),
    ('jit', 'off'),
    ('client_connection_check_interval', CASE WHEN version() LIKE '%linux%' THEN '1000' ELSE '0' END)
) AS wanted (name, setting)
JOIN pg_catalog.pg_settings AS known ON known.name = wanted.name;

-- name: monitor
-- A monitor must never be the problem: it waits for no lock longer than a moment, keeps no transaction open, changes
-- nothing, and does not compile its small queries. $1 = statement time-out in ms, $2 = application
-- name.
-- Settings that this server's version does not know are left out.
SELECT pg_catalog.set_config(known.name, wanted.setting, false)
FROM (VALUES
    ('statement_timeout', $1::text),
    ('application_name', $2),
    ('lock_timeout', '1000'),
    ('idle_in_transaction_session_timeout', '10000'),
    ('idle_session_timeout', '0'),
    ('default_transaction_read_only', 'on'),
    ('DateStyle', 'ISO'),
    ('jit', 'off')
) AS wanted (name, setting)
JOIN pg_catalog.pg_settings AS known ON known.name = wanted.name;

-- name: admin
-- Acts are short: an administrator's session queues behind nobody for long. $1 = statement time-out in
-- ms, $2 = application name.
-- Settings that this server's version does not know are left out.
SELECT pg_catalog.set_config(known.name, wanted.setting, false)
FROM (VALUES
    ('statement_timeout', $1::text),
    ('application_name', $2),
    ('lock_timeout', '1000'),
    ('idle_in_transaction_session_timeout', '60000'),
    ('idle_session_timeout', '0'),
    ('DateStyle', 'ISO'),
    ('jit', 'off')
) AS wanted (name, setting)
JOIN pg_catalog.pg_settings AS known ON known.name = wanted.name;

-- name: workload
-- A workload plays an ordinary program: only a statement time-out, if asked for ($1 in ms, 0 = none).
-- $2 = application name.
SELECT
    pg_catalog.set_config('statement_timeout', $1, false),
    pg_catalog.set_config('application_name', $2, false);

-- name: pooled_lock
-- What `lock` sets, for one transaction behind a pooler: all ends with it. Resolves nothing in the path.
SELECT
    pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true),
    pg_catalog.set_config('application_name', '{application}', true),
    pg_catalog.set_config('statement_timeout', '{statement_timeout}', true),
    pg_catalog.set_config('lock_timeout', '0', true),
    pg_catalog.set_config('idle_in_transaction_session_timeout', '0', true),
    pg_catalog.set_config('enable_seqscan', 'off', true),
    pg_catalog.set_config('client_encoding', '{encoding}', true),
    pg_catalog.set_config('datestyle', 'ISO', true),
    pg_catalog.set_config('jit', 'off', true);

-- name: pooled_monitor
-- What `monitor` sets, for one transaction behind a pooler: all ends with it. Resolves nothing in the path.
SELECT
    pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true),
    pg_catalog.set_config('application_name', '{application}', true),
    pg_catalog.set_config('statement_timeout', '{statement_timeout}', true),
    pg_catalog.set_config('lock_timeout', '1000', true),
    pg_catalog.set_config('transaction_read_only', 'on', true),
    pg_catalog.set_config('client_encoding', '{encoding}', true),
    pg_catalog.set_config('datestyle', 'ISO', true),
    pg_catalog.set_config('jit', 'off', true);

-- name: pooled_admin
-- What `admin` sets, for one transaction behind a pooler: all ends with it. Resolves nothing in the path.
SELECT
    pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true),
    pg_catalog.set_config('application_name', '{application}', true),
    pg_catalog.set_config('statement_timeout', '{statement_timeout}', true),
    pg_catalog.set_config('lock_timeout', '1000', true),
    pg_catalog.set_config('idle_in_transaction_session_timeout', '60000', true),
    pg_catalog.set_config('client_encoding', '{encoding}', true),
    pg_catalog.set_config('datestyle', 'ISO', true),
    pg_catalog.set_config('jit', 'off', true);

-- name: wait_limit
-- Limits the next waits of this transaction to $1 ms ('0' = no limit) and keeps the limit that was set before.
SELECT set_config('lockscope.lock_timeout', current_setting('lock_timeout'), true), set_config('lock_timeout', $1, true);

-- name: wait_limit_end
-- Puts back what `wait_limit` kept.
SELECT set_config('lock_timeout', current_setting('lockscope.lock_timeout'), true);

-- name: begin
BEGIN;

-- name: commit
COMMIT;

-- name: rollback
ROLLBACK;

-- name: savepoint
-- The linter does not know save points. -- noqa: disable=PRS
-- A wait that ends in an error must not abort the caller's transaction.
SAVEPOINT lockscope_wait;

-- name: savepoint_release
-- After a wait that ended well, or was rolled back to its savepoint.
RELEASE SAVEPOINT lockscope_wait;

-- name: savepoint_rollback
-- After a wait that ended in an error.
ROLLBACK TO SAVEPOINT lockscope_wait;
