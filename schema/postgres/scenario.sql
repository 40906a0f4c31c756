-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The schema of a scenario run: made, filled again, dropped.

-- name: rights
-- May a run take place here? Role, database; may a schema be made (1) or not (0), is the lock table there, may it be
-- used; may functions be made (1: in a schema of one's own everybody may)?
SELECT
    current_user::text,
    current_database()::text,
    has_database_privilege(current_database(), 'CREATE')::integer,
    EXISTS (
        SELECT 1
        FROM pg_catalog.pg_class AS c
        INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
        WHERE n.nspname = 'lockscope' AND c.relname = 'lock_entry'
    )::integer,
    coalesce((
        SELECT bool_and(has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE'))
        FROM pg_catalog.pg_proc AS p
        INNER JOIN pg_catalog.pg_namespace AS n ON p.pronamespace = n.oid
        WHERE n.nspname = 'lockscope' AND p.proname = 'acquire_lock'
    ), FALSE)::integer,
    1;

-- name: create
-- The schema of one scenario run; everything that the run makes is in it.
CREATE SCHEMA {schema};

-- name: mark
-- Tells a run's schema from one that somebody else called so.
COMMENT ON SCHEMA {schema} IS 'Lockscope scenario run';

-- name: key_table
-- One row a surrogate key, in the schema of the run.
CREATE TABLE {table} (key text PRIMARY KEY);

-- name: lock_table
-- A surrogate table of the run: there only to be locked.
CREATE TABLE {table} (unused boolean);

-- name: list
-- The schemas of all runs, those that crashed among them.
SELECT n.nspname
FROM pg_namespace AS n
WHERE starts_with(n.nspname, 'lockscope_run_')
    AND obj_description(n.oid, 'pg_namespace') = 'Lockscope scenario run'
ORDER BY n.nspname;

-- name: tables
-- The tables of a run, and its sequences: what the schema $1 has.
SELECT
    c.relname::text,
    c.relkind = 'S'
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
WHERE n.nspname = $1 AND c.relkind IN ('r', 'S')
ORDER BY c.oid;

-- name: sequence
-- Where a sequence of the run stands.
SELECT last_value::text || ', ' || is_called::text FROM {sequence};

-- name: keep
-- Keeps what a table of the run holds at the start.
CREATE TABLE {kept} AS SELECT * FROM {table};

-- name: truncate
-- Empties a long table of the run.
TRUNCATE {table};

-- name: empty
-- Empties a short table of the run.
DELETE FROM {table};

-- name: refill
-- A table of the run gets back what it held at the start.
INSERT INTO {table} OVERRIDING SYSTEM VALUE SELECT * FROM {kept};

-- name: set_sequence
-- A sequence of the run stands where it stood at the start.
SELECT setval('{sequence}', {value});

-- name: deadlocks_at_once
-- Who waits looks for a deadlock after this time, once: so that the one who closes the ring is the victim.
SET deadlock_timeout = '1ms';

-- name: cancel_statements
-- Cancels what the sessions of a run are doing, all at once: their names begin with $1. A cancel request of each session's
-- own takes a connection each.
SELECT count(pg_cancel_backend(a.pid))
FROM pg_stat_activity AS a
WHERE starts_with(a.application_name, $1) AND a.datname = current_database() AND a.usename = current_user
    AND a.state = 'active' AND a.pid <> pg_backend_pid();

-- name: end_sessions
-- Ends the sessions of a run whose program is gone: their names begin with $1. Looks at this database only.
SELECT count(pg_terminate_backend(a.pid))
FROM pg_stat_activity AS a
WHERE starts_with(a.application_name, $1) AND a.datname = current_database() AND a.usename = current_user
    AND a.pid <> pg_backend_pid();

-- name: forget_entries
-- Lock-table entries that a run left behind: their names begin with $1.
DELETE FROM lockscope.lock_entry WHERE starts_with(name, $1);

-- name: forget_waiters
-- Places in the queues of the lock table that a run left behind: the names begin with $1.
DELETE FROM lockscope.lock_waiter WHERE starts_with(name, $1);

-- name: forget_names
-- The names of application locks that only one run has used: those that begin with $1, and its own, $2.
DELETE FROM lockscope.app_lock_name WHERE starts_with(name, $1) OR name = $2;

-- name: drop
-- Removes all that a run has made.
DROP SCHEMA IF EXISTS {schema} CASCADE;

-- name: columns
-- The tables of a run's schema $1 with their columns, without those that Lockscope has made.
SELECT
    c.relname::text,
    a.attname::text
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
INNER JOIN pg_catalog.pg_attribute AS a ON c.oid = a.attrelid
WHERE n.nspname = $1 AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
    AND NOT starts_with(c.relname::text, 'lockscope_') AND NOT starts_with(c.relname::text, 'surrogate')
ORDER BY c.oid, a.attnum;

-- name: peek
-- The first rows of a table of the run, at most $1.
SELECT {cells} FROM {table} ORDER BY 1 LIMIT $1;

-- name: keys
-- The tables of a run's schema $1, each with the columns of its primary key, in their order; NULL for a table that has
-- none.
SELECT
    c.relname::text,
    a.attname::text
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
LEFT JOIN pg_catalog.pg_index AS i ON c.oid = i.indrelid AND i.indisprimary
LEFT JOIN pg_catalog.pg_attribute AS a ON i.indrelid = a.attrelid AND a.attnum = ANY(i.indkey::smallint [])
WHERE n.nspname = $1 AND c.relkind = 'r'
ORDER BY c.oid, a.attnum;

-- name: locked_rows
-- The rows of a table of the run that an open transaction has locked or changed, each with its session. A row that several
-- share is not among them.
SELECT
    l.pid,
    concat_ws(', ', {key})
FROM {table} AS t
INNER JOIN pg_catalog.pg_locks AS l ON t.xmax = l.transactionid
WHERE l.locktype = 'transactionid' AND l.granted
ORDER BY 2
LIMIT $1;
