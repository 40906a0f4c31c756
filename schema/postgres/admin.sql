-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Acts on sessions and entries, and their audit.

-- name: role
-- As which role do we act here?
SELECT current_user::text;

-- name: rights
-- What may this role do here? $1 process id of the session that is to be acted on (0: none), $2 its start in microseconds
-- (0: not known). Role; is the schema there, and its audit table; may acts be recorded in it; may that session be acted on
-- (null: it has gone); is it a superuser's; can its start be seen, by which it is compared; is it there?
WITH target AS MATERIALIZED (
    SELECT
        usesysid,
        backend_start
    FROM pg_catalog.pg_stat_activity
    WHERE pid = $1::bigint
        AND (
            $2::bigint = 0
            OR backend_start IS NULL
            OR (extract(epoch FROM backend_start) * 1000000)::bigint = $2::bigint
        )
)

SELECT
    current_user::text,
    EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'lockscope'),
    EXISTS (
        SELECT 1
        FROM pg_catalog.pg_class AS c
        INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
        WHERE n.nspname = 'lockscope' AND c.relname = 'audit_log'
    ),
    coalesce((
        SELECT bool_and(has_schema_privilege(n.oid, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE'))
        FROM pg_catalog.pg_proc AS p
        INNER JOIN pg_catalog.pg_namespace AS n ON p.pronamespace = n.oid
        WHERE n.nspname = 'lockscope' AND p.proname IN ('audit_act', 'audit_outcome')
    ), FALSE),
    (
        SELECT
            me.rolsuper
            OR (NOT r.rolsuper AND (pg_has_role(r.oid, 'USAGE') OR pg_has_role('pg_signal_backend', 'USAGE')))
        FROM target AS a
        INNER JOIN pg_catalog.pg_roles AS r ON a.usesysid = r.oid
        INNER JOIN pg_catalog.pg_roles AS me ON me.rolname = current_user
    ),
    coalesce((
        SELECT r.rolsuper
        FROM target AS a
        INNER JOIN pg_catalog.pg_roles AS r ON a.usesysid = r.oid
    ), FALSE),
    EXISTS (SELECT 1 FROM target WHERE backend_start IS NOT NULL),
    EXISTS (SELECT 1 FROM target);

-- name: table_rights
-- May this role free rows of that table? An act reads the whole row before. $1 schema, $2 table, $3 both, quoted, $4 how:
-- DELETE or UPDATE.
-- Role, may it, can anybody (of a view that can't be changed nobody can); nothing if there is no such table.
SELECT
    current_user::text,
    (
        has_schema_privilege(n.oid, 'USAGE')
        AND has_table_privilege(c.oid, 'SELECT')
        AND has_table_privilege(c.oid, $4::text)
    )::integer::bigint,
    (pg_catalog.pg_relation_is_updatable(c.oid, TRUE) & CASE $4::text WHEN 'UPDATE' THEN 4 ELSE 16 END <> 0)::integer::bigint
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
WHERE n.nspname = $1::text AND c.relname = $2::text AND $3::text IS NOT NULL;

-- name: session_lives
-- Is exactly this session still there? $1 process id, $2 its start in microseconds.
SELECT 1
FROM pg_catalog.pg_stat_activity
WHERE pid = $1::bigint AND (extract(epoch FROM backend_start) * 1000000)::bigint = $2::bigint;

-- name: cancel_session
-- Cancels exactly the statement that was shown of exactly the session that was shown; to run after it was
-- recorded. $1 process id, $2 its start in microseconds, $3 start of the statement in microseconds (0: whichever runs).
-- The outcome, and what was there as JSON.
WITH seen AS MATERIALIZED (
    SELECT
        pid,
        backend_start,
        usename,
        datname,
        application_name,
        client_addr,
        backend_type,
        state,
        state_change,
        xact_start,
        query_start,
        wait_event_type,
        wait_event,
        query
    FROM pg_catalog.pg_stat_activity
    WHERE pid = $1::bigint
),

same_session AS MATERIALIZED (
    SELECT
        pid,
        state,
        query_start
    FROM seen
    WHERE (extract(epoch FROM backend_start) * 1000000)::bigint = $2::bigint
        AND backend_type = 'client backend'
        AND pid <> pg_backend_pid()
),

target AS MATERIALIZED (
    SELECT pid
    FROM same_session
    WHERE state IN ('active', 'fastpath function call')
        AND $3::bigint IN (0, (extract(epoch FROM query_start) * 1000000)::bigint)
),

acted AS MATERIALIZED (
    SELECT pg_cancel_backend(pid) AS done
    FROM target
)

SELECT
    CASE
        WHEN (SELECT done FROM acted) THEN 'done'
        WHEN NOT EXISTS (SELECT FROM seen) THEN 'changed meanwhile: the session has ended'
        WHEN NOT EXISTS (SELECT FROM same_session) THEN 'changed meanwhile: another session has this id now'
        WHEN NOT EXISTS (SELECT FROM target) THEN 'changed meanwhile: that statement has ended'
        ELSE 'changed meanwhile: the session ended before it could be told'
    END AS outcome,
    (SELECT to_jsonb(seen.*)::text FROM seen) AS before;

-- name: end_session
-- Ends exactly the session that was shown: process ids are reused. To run after it was recorded.
-- $1 process id, $2 its start in microseconds. The outcome, and what was there as JSON.
WITH seen AS MATERIALIZED (
    SELECT
        pid,
        backend_start,
        usename,
        datname,
        application_name,
        client_addr,
        backend_type,
        state,
        state_change,
        xact_start,
        query_start,
        wait_event_type,
        wait_event,
        query
    FROM pg_catalog.pg_stat_activity
    WHERE pid = $1::bigint
),

target AS MATERIALIZED (
    SELECT pid
    FROM seen
    WHERE (extract(epoch FROM backend_start) * 1000000)::bigint = $2::bigint
        AND backend_type = 'client backend'
        AND pid <> pg_backend_pid()
),

acted AS MATERIALIZED (
    SELECT pg_terminate_backend(pid) AS done
    FROM target
)

SELECT
    CASE
        WHEN (SELECT done FROM acted) THEN 'done'
        WHEN NOT EXISTS (SELECT FROM seen) THEN 'changed meanwhile: the session has ended'
        WHEN NOT EXISTS (SELECT FROM target) THEN 'changed meanwhile: another session has this id now'
        ELSE 'changed meanwhile: the session ended before it could be told'
    END AS outcome,
    (SELECT to_jsonb(seen.*)::text FROM seen) AS before;

-- name: entry_now
-- Who has the name now? $1 name.
SELECT
    owner,
    host,
    (to_jsonb(e) - 'token')::text
FROM lockscope.lock_entry AS e
WHERE e.name = $1;

-- name: next_waiter
-- Who gets the name next? $1 name.
SELECT
    owner,
    host
FROM lockscope.live_waiter
WHERE name = $1
ORDER BY ticket
LIMIT 1;

-- name: release_entry
-- Deletes exactly the row that was shown: a fencing number is drawn once. Its trigger wakes the first waiter. $1 name,
-- $2 fencing number.
DELETE FROM lockscope.lock_entry AS e
WHERE e.name = $1 AND e.fencing = $2::bigint
RETURNING (to_jsonb(e) - 'token')::text;

-- name: purge_entry
-- Deletes exactly the row that was shown, if it is still stale. $1 name, $2 fencing number.
DELETE FROM lockscope.lock_entry AS e
WHERE e.name = $1 AND e.fencing = $2::bigint AND e.expires_at <= clock_timestamp()
RETURNING (to_jsonb(e) - 'token')::text;

-- name: audit_table
-- Is the audit table there? From the catalogue: to_regclass raises an error where the schema is closed to us.
SELECT 1
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
WHERE n.nspname = 'lockscope' AND c.relname = 'audit_log';

-- name: audit_write
-- Records an act. $1 account, $2 host and program, $3 act, $4 target, $5 reason, $6 state before as JSON, $7 outcome.
-- Who it was, the function takes from the session.
SELECT lockscope.audit_act($1::text || ', ' || $2::text, $3, $4, $5, $6::text::jsonb, $7);

-- name: audit_outcome
-- How an act ended that this login has recorded. $1 its id, $2 state before as JSON (null: as it was recorded),
-- $3 outcome.
SELECT lockscope.audit_outcome($1::bigint, $2::text::jsonb, $3);

-- name: audit_read
-- The latest acts, newest first. $1: how many. A time beyond the years 1 to 9999 would fail the whole statement.
SELECT
    id,
    (extract(epoch FROM least(greatest(at, '0001-01-01 00:00:00+00'), '9999-12-31 23:59:59.999999+00')) * 1000000)::bigint,
    who,
    origin,
    act,
    target,
    reason,
    before::text,
    outcome
FROM lockscope.audit_log
ORDER BY id DESC
LIMIT $1::bigint;
