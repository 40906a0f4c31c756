-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What a connection asks and sets when it begins, and its transactions.

-- name: backend
-- The first thing that a connection asks, before anything is set: which process answers? Behind a pooler it is not the
-- one that the login named. Resolves nothing in the search_path.
SELECT pg_catalog.pg_backend_pid();

-- name: path
-- Before anything else, and by itself: the session acts as the user that logged in, whatever role the database, the user's own
-- settings, PGOPTIONS or a pooler's client before us have set, and names, operators and casts are the system's, whatever others
-- have planted in other schemas. Temporary objects come last, or they would come first. The last two columns tell whether it has
-- been done.
SELECT
    pg_catalog.set_config('session_authorization', NULL, false),
    pg_catalog.set_config('role', 'none', false),
    pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', false),
    current_user OPERATOR(pg_catalog.=) session_user;

-- name: run_path
-- The path of a scenario run, whose SQL makes and uses objects of the run's own schema. pg_catalog, which is not named,
-- is searched before it; if it were named, it would be where new objects go.
SET search_path = {schema}, pg_temp;

-- name: bytes
-- A database in SQL_ASCII holds any bytes. With another encoding of ours the server refuses every row that has one which
-- is no UTF-8; so they come as they are.
SET client_encoding = 'SQL_ASCII';

-- name: mark
-- Marks the lock that was taken just now, by $1: a savepoint that is rolled back takes back both, and so does the transaction.
SELECT set_config('lockscope.held', concat_ws(' ', nullif(current_setting('lockscope.held', true), ''), $1::text), true);

-- name: holder
-- Asked within the transaction that holds a lock: its session, when that began, when the transaction did, and the marks of the
-- locks that it has. Behind a pooler the session may be another one.
SELECT
    pg_backend_pid(),
    (extract(epoch FROM backend_start) * 1000000)::bigint,
    (extract(epoch FROM now()) * 1000000)::bigint,
    coalesce(current_setting('lockscope.held', true), '')
FROM pg_stat_get_activity(pg_backend_pid());

-- name: facts
-- When this session began: a session id alone is reused.
SELECT (extract(epoch FROM backend_start) * 1000000)::bigint
FROM pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid());

-- name: settings
-- What a session of ours needs, by purpose, whatever the database or the user presets (ALTER DATABASE or ROLE … SET); NULL leaves
-- what is there. A setting of PL/pgSQL is known where somebody has preset it, before its first function runs. tst_SessionSettings says why every other setting of the server may be what it is. Behind a pooler all of it is
-- set for one transaction, each time, and before the path is: so nothing here is resolved in it. What the server's version does
-- not know is left out. The login comes before the role: to set it takes the role back.
--
-- lock: a lock lives as long as its session, so nothing may end that session or cut a wait but its owner. The server looks for
-- the client's end once a second, so that the waiter of a killed program leaves the queue (only where the server's system can).
-- It looks for a machine that vanished from the network, too, but later than the holder looks for the server: after 20 s
-- without a sign, when the holder has known for 8 s that its lock is lost. A grant is on disk before it is reported: what is stricter
-- than synchronous_commit = on stays. As a replica no trigger would fire: without the right to change that, the server refuses,
-- and names it. Plan trap: a statement planned while the lock table was empty keeps a sequential scan for ever, hence no such
-- plans.
-- monitor: it must never be the problem: it waits for no lock longer than 0.1 s, keeps no transaction open, changes nothing.
-- admin: acts are short: an administrator's session queues behind nobody for long.
SELECT
    CASE
        WHEN wanted.for_{purpose} IS NOT NULL AND pg_catalog.current_setting(wanted.name, true) IS NOT NULL
            THEN pg_catalog.set_config(wanted.name, wanted.for_{purpose}, {is_local})
    END
FROM (VALUES
    (
        CASE WHEN pg_catalog.set_config('session_authorization', NULL, {is_local}) IS NULL THEN 'role' ELSE 'role' END,
        'none', 'none', 'none'
    ),
    ('search_path', 'pg_catalog, pg_temp', 'pg_catalog, pg_temp', 'pg_catalog, pg_temp'),
    ('application_name', {application}, {application}, {application}),
    ('statement_timeout', {time_limit}, {time_limit}, {time_limit}),
    ('lock_timeout', '0', '100', '1000'),
    ('transaction_timeout', '0', '0', '0'),
    ('idle_in_transaction_session_timeout', '0', '10000', '60000'),
    ('idle_session_timeout', '0', '0', '0'),
    ('exit_on_error', 'off', 'off', 'off'),
    ('tcp_keepalives_idle', '10', '10', '10'),
    ('tcp_keepalives_interval', '5', '5', '5'),
    ('tcp_keepalives_count', '3', '3', '3'),
    ('tcp_user_timeout', '20000', '20000', '20000'),
    (
        'client_connection_check_interval',
        CASE WHEN pg_catalog.strpos(pg_catalog.version(), 'linux') OPERATOR(pg_catalog.>) 0 THEN '1000' ELSE '0' END,
        NULL, NULL
    ),
    ('default_transaction_isolation', 'read committed', 'read committed', 'read committed'),
    ('default_transaction_read_only', 'off', 'on', 'off'),
    ('default_transaction_deferrable', 'off', 'off', 'off'),
    ('transaction_read_only', NULL, 'on', NULL),
    (
        'synchronous_commit',
        CASE WHEN pg_catalog.current_setting('synchronous_commit') OPERATOR(pg_catalog.=) 'off' THEN 'on' END, NULL,
        CASE WHEN pg_catalog.current_setting('synchronous_commit') OPERATOR(pg_catalog.=) 'off' THEN 'on' END
    ),
    (
        'session_replication_role',
        CASE WHEN pg_catalog.current_setting('session_replication_role') OPERATOR(pg_catalog.=) 'replica' THEN 'origin' END, NULL,
        CASE WHEN pg_catalog.current_setting('session_replication_role') OPERATOR(pg_catalog.=) 'replica' THEN 'origin' END
    ),
    ('restrict_nonsystem_relation_kind', '', '', ''),
    ('default_table_access_method', NULL, NULL, 'heap'),
    ('client_encoding', {encoding}, {encoding}, {encoding}),
    ('client_min_messages', 'warning', 'warning', 'warning'),
    ('standard_conforming_strings', 'on', 'on', 'on'),
    ('plpgsql.extra_errors', 'none', 'none', 'none'),
    ('transform_null_equals', 'off', 'off', 'off'),
    ('array_nulls', 'on', 'on', 'on'),
    ('quote_all_identifiers', 'off', 'off', 'off'),
    ('extra_float_digits', '1', '1', '1'),
    ('DateStyle', 'ISO', 'ISO', 'ISO'),
    ('IntervalStyle', 'postgres', 'postgres', 'postgres'),
    ('plan_cache_mode', 'auto', 'auto', 'auto'),
    ('force_parallel_mode', 'off', 'off', 'off'),
    ('debug_parallel_query', 'off', 'off', 'off'),
    ('enable_seqscan', 'off', NULL, NULL),
    ('jit', 'off', 'off', 'off')
) AS wanted (name, for_lock, for_monitor, for_admin);

-- name: workload
-- A workload plays an ordinary program, the same on every server: whatever the database or the role presets, its waits have no
-- limit but a statement's time-out, if asked for ($1 in ms, 0 = none), and its transactions are read committed and may write.
-- $2 = application name. What judges a schema is long: compiling it would take seconds.
SELECT CASE WHEN pg_catalog.current_setting(wanted.name, true) IS NOT NULL THEN pg_catalog.set_config(wanted.name, wanted.value, false) END
FROM (VALUES
    ('statement_timeout', $1),
    ('application_name', $2),
    ('lock_timeout', '0'),
    ('transaction_timeout', '0'),
    ('idle_in_transaction_session_timeout', '0'),
    ('idle_session_timeout', '0'),
    ('default_transaction_isolation', 'read committed'),
    ('default_transaction_read_only', 'off'),
    ('default_transaction_deferrable', 'off'),
    ('jit', 'off')
) AS wanted (name, value);

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

-- name: begin_pooled
-- The default of a pooler's session may be anything.
BEGIN ISOLATION LEVEL READ COMMITTED;
