-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What a poll reads.

-- name: clock
-- The server's clock: first statement of every poll.
SELECT (date_part('epoch', clock_timestamp()) * 1000000)::bigint;

-- name: poll_end
-- The clock as last statement of every poll: the difference is what the poll cost the server. Read in binary form. The age
-- of the first transaction id of all tells the next one, from which the ages of those follow that `sessions` names. No
-- statement before this one may ask for an age: a transaction keeps to its first answer.
SELECT
    clock_timestamp(),
    age('3'::xid);

-- name: identity
-- Who we are here, asked once per connection, and whether the server counts waits for locks (PostgreSQL 19 does).
SELECT
    current_user::text,
    d.oid::bigint,
    coalesce(has_function_privilege(to_regprocedure('pg_catalog.pg_control_system()'), 'EXECUTE'), FALSE),
    (
        SELECT count(*) = 5
        FROM pg_catalog.pg_attribute AS a
        WHERE a.attrelid = to_regclass('pg_catalog.pg_stat_lock') AND NOT a.attisdropped
            AND a.attname IN ('locktype', 'waits', 'wait_time', 'fastpath_exceeded', 'stats_reset')
    )
FROM pg_catalog.pg_database AS d
WHERE d.datname = current_database();

-- name: cluster
-- What the server calls its data: a standby has it from its primary, a restored dump has another one. Asked once per
-- connection, and only with the right.
SELECT system_identifier::text FROM pg_catalog.pg_control_system();

-- name: surroundings
-- What surrounds the locks, asked every ten seconds: counters of the whole server, how far it is behind if it is a standby,
-- when it read its settings, its connections and how many there may be, and whether it is a standby.
SELECT
    (SELECT sum(d.xact_commit)::bigint FROM pg_catalog.pg_stat_database AS d),
    (SELECT sum(d.xact_rollback)::bigint FROM pg_catalog.pg_stat_database AS d),
    {checkpoints},
    {checkpoint_ms}::bigint,
    CASE WHEN pg_is_in_recovery() THEN (extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000)::bigint END,
    pg_conf_load_time()::text,
    (SELECT sum(d.numbackends)::bigint FROM pg_catalog.pg_stat_database AS d),
    current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint,
    pg_is_in_recovery()::int::bigint
FROM pg_catalog.{checkpointer};

-- name: lock_counts
-- The waits that the server has counted since `stats_reset`: those for longer than deadlock_timeout that ended with the lock.
SELECT
    locktype,
    waits,
    wait_time::bigint,
    fastpath_exceeded,
    coalesce((extract(epoch FROM stats_reset) * 1000000)::bigint, 0)
FROM pg_catalog.pg_stat_lock;

-- name: replication
-- How far the standbys are behind, of those that we may see.
SELECT
    application_name,
    (extract(epoch FROM replay_lag) * 1000)::bigint
FROM pg_catalog.pg_stat_replication
WHERE replay_lag IS NOT NULL
ORDER BY replay_lag DESC
LIMIT 20;

-- name: settings
-- What the server is set to, but for what this session has set for itself, and for what may have a password in it.
SELECT
    name,
    setting || coalesce(' ' || unit, '')
FROM pg_catalog.pg_settings
WHERE source NOT IN ('client', 'session') AND context <> 'internal' AND strpos(name, '.') = 0 AND name NOT LIKE '%command%'
    AND name <> 'primary_conninfo';

-- name: locks
-- Every lock held or waited for, as the server lists it. Blockers are worked out on the client: pg_blocking_pids stops the
-- lock manager once per call. Read in binary form: times stay numbers.
-- $1: also the noise (each session's lock on its own virtual transaction and fast-path locks on the catalogue; a lock
-- in the fast path can't have a waiter).
SELECT
    locktype,
    database,
    relation,
    page,
    tuple,
    virtualxid,
    transactionid,
    classid,
    objid,
    objsubid,
    virtualtransaction,
    pid,
    mode,
    granted,
    {waitstart}
FROM pg_catalog.pg_locks
WHERE NOT fastpath OR relation >= 16384 OR $1::boolean;

-- name: sessions
-- The server's sessions without pg_stat_activity's joins: names of roles and databases are looked up once and kept.
-- Read in binary form. What costs something for each row is left to the client: it looks for the text that stands for what
-- is hidden, and works out ages. The type of nearly all, a client's, is not sent.
-- $1: with the texts of the statements, else with that one only. $2: also for whose end a SERIALIZABLE READ ONLY DEFERRABLE
-- transaction waits, asked while one does; no row of pg_locks tells that.
SELECT
    pid,
    backend_start,
    state,
    usesysid,
    datid,
    application_name,
    client_hostname,
    client_addr,
    client_port,
    CASE WHEN $1::boolean OR query = '<insufficient privilege>' THEN query END,
    wait_event_type,
    wait_event,
    state_change,
    xact_start,
    query_start,
    {leader},
    nullif(backend_type, 'client backend'),
    CASE WHEN $2::boolean AND wait_event = 'SafeSnapshot' THEN pg_catalog.pg_safe_snapshot_blocking_pids(pid)::text END,
    backend_xid,
    backend_xmin
FROM pg_catalog.pg_stat_get_activity(NULL);

-- name: prepared
-- Prepared transactions: they hold locks although no session is left. $1: their transaction ids, as an array literal.
SELECT
    transaction::text::bigint,
    gid,
    owner::text,
    database::text,
    (extract(epoch FROM prepared) * 1000000)::bigint
FROM pg_catalog.pg_prepared_xacts
WHERE transaction::text::bigint = ANY($1::text::bigint[]);

-- name: schema_probe
-- Which of our tables are there, and may we read them? From the catalogue: to_regclass raises an error where the schema
-- itself is closed to us.
SELECT
    c.relname::text,
    has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
WHERE n.nspname = 'lockscope' AND c.relname IN ('lock_entry', 'lock_waiter', 'app_lock_name');

-- name: entries
-- The lock table: every row is a lock. Of its token no more is shown than tells two apart.
-- A time that no number of microseconds can tell (infinity, times before Christ) would fail the whole statement: the
-- nearest of the years 1 to 9999 is given instead, and at the end of the row what is stored.
SELECT
    name,
    token_start,
    fencing,
    (extract(epoch FROM least(greatest(acquired_at, '0001-01-01 00:00:00+00'), '9999-12-31 23:59:59.999999+00')) * 1000000)::bigint,
    (extract(epoch FROM least(greatest(expires_at, '0001-01-01 00:00:00+00'), '9999-12-31 23:59:59.999999+00')) * 1000000)::bigint,
    left(owner, 1000),
    left(host, 1000),
    left(program, 1000),
    process_id,
    session_id,
    CASE WHEN acquired_at < '0001-01-01 00:00:00+00' OR acquired_at > '9999-12-31 23:59:59.999999+00' THEN acquired_at::text END,
    CASE WHEN expires_at < '0001-01-01 00:00:00+00' OR expires_at > '9999-12-31 23:59:59.999999+00' THEN expires_at::text END
FROM lockscope.lock_entry
ORDER BY name;

-- name: entry_waiters
-- The visible queue of the lock table, in its order.
-- A time that no number of microseconds can tell (infinity, times before Christ) would fail the whole statement: the
-- nearest of the years 1 to 9999 is given instead, and at the end of the row what is stored.
SELECT
    name,
    ticket,
    (extract(epoch FROM least(greatest(registered_at, '0001-01-01 00:00:00+00'), '9999-12-31 23:59:59.999999+00')) * 1000000)::bigint,
    (extract(epoch FROM least(greatest(expires_at, '0001-01-01 00:00:00+00'), '9999-12-31 23:59:59.999999+00')) * 1000000)::bigint,
    left(owner, 1000),
    left(host, 1000),
    left(program, 1000),
    process_id,
    session_id,
    CASE WHEN registered_at < '0001-01-01 00:00:00+00' OR registered_at > '9999-12-31 23:59:59.999999+00' THEN registered_at::text END,
    CASE WHEN expires_at < '0001-01-01 00:00:00+00' OR expires_at > '9999-12-31 23:59:59.999999+00' THEN expires_at::text END
FROM lockscope.lock_waiter
ORDER BY name, ticket;

-- name: entries_escaped
-- The lock table as `entries` reads it, for databases in other encodings than UTF-8: one text that can't be converted would fail
-- the whole statement. Texts come as ASCII, other bytes as \nnn; the last column says of which rows that is true.
SELECT
    left(encode(convert_to(name, 'SQL_ASCII'), 'escape'), 1000),
    left(encode(convert_to(token_start, 'SQL_ASCII'), 'escape'), 1000),
    fencing,
    (extract(epoch FROM least(greatest(acquired_at, '0001-01-01 00:00:00+00'), '9999-12-31 23:59:59.999999+00')) * 1000000)::bigint,
    (extract(epoch FROM least(greatest(expires_at, '0001-01-01 00:00:00+00'), '9999-12-31 23:59:59.999999+00')) * 1000000)::bigint,
    left(encode(convert_to(owner, 'SQL_ASCII'), 'escape'), 1000),
    left(encode(convert_to(host, 'SQL_ASCII'), 'escape'), 1000),
    left(encode(convert_to(program, 'SQL_ASCII'), 'escape'), 1000),
    process_id,
    session_id,
    CASE WHEN acquired_at < '0001-01-01 00:00:00+00' OR acquired_at > '9999-12-31 23:59:59.999999+00' THEN acquired_at::text END,
    CASE WHEN expires_at < '0001-01-01 00:00:00+00' OR expires_at > '9999-12-31 23:59:59.999999+00' THEN expires_at::text END,
    encode(convert_to(concat(name, token, owner, host, program), 'SQL_ASCII'), 'escape') <> replace(concat(name, token, owner, host, program), '\', '\\')
FROM lockscope.lock_entry
ORDER BY name;

-- name: entry_waiters_escaped
-- The queue as `entry_waiters` reads it, for databases in other encodings than UTF-8: one text that can't be converted would fail
-- the whole statement. Texts come as ASCII, other bytes as \nnn; the last column says of which rows that is true.
SELECT
    left(encode(convert_to(name, 'SQL_ASCII'), 'escape'), 1000),
    ticket,
    (extract(epoch FROM least(greatest(registered_at, '0001-01-01 00:00:00+00'), '9999-12-31 23:59:59.999999+00')) * 1000000)::bigint,
    (extract(epoch FROM least(greatest(expires_at, '0001-01-01 00:00:00+00'), '9999-12-31 23:59:59.999999+00')) * 1000000)::bigint,
    left(encode(convert_to(owner, 'SQL_ASCII'), 'escape'), 1000),
    left(encode(convert_to(host, 'SQL_ASCII'), 'escape'), 1000),
    left(encode(convert_to(program, 'SQL_ASCII'), 'escape'), 1000),
    process_id,
    session_id,
    CASE WHEN registered_at < '0001-01-01 00:00:00+00' OR registered_at > '9999-12-31 23:59:59.999999+00' THEN registered_at::text END,
    CASE WHEN expires_at < '0001-01-01 00:00:00+00' OR expires_at > '9999-12-31 23:59:59.999999+00' THEN expires_at::text END,
    encode(convert_to(concat(name, owner, host, program), 'SQL_ASCII'), 'escape') <> replace(concat(name, owner, host, program), '\', '\\')
FROM lockscope.lock_waiter
ORDER BY name, ticket;
