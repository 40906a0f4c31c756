-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What is read of a single session or row, when a person asks for it.

-- name: progress_vacuum
-- How far a VACUUM is. $1 process id, $2 its start in microseconds.
SELECT
    p.phase,
    p.heap_blks_scanned::bigint,
    p.heap_blks_total::bigint,
    'blocks'
FROM pg_catalog.pg_stat_progress_vacuum AS p
INNER JOIN pg_catalog.pg_stat_get_activity($1::integer) AS a ON p.pid = a.pid
WHERE (date_part('epoch', a.backend_start) * 1000000)::bigint = $2::bigint;

-- name: progress_analyze
-- How far an ANALYZE is. $1 process id, $2 its start in microseconds.
SELECT
    p.phase,
    p.sample_blks_scanned::bigint,
    p.sample_blks_total::bigint,
    'blocks'
FROM pg_catalog.pg_stat_progress_analyze AS p
INNER JOIN pg_catalog.pg_stat_get_activity($1::integer) AS a ON p.pid = a.pid
WHERE (date_part('epoch', a.backend_start) * 1000000)::bigint = $2::bigint;

-- name: progress_create_index
-- How far a CREATE INDEX or REINDEX is. $1 process id, $2 its start in microseconds.
SELECT
    p.phase,
    p.blocks_done::bigint,
    p.blocks_total::bigint,
    'blocks'
FROM pg_catalog.pg_stat_progress_create_index AS p
INNER JOIN pg_catalog.pg_stat_get_activity($1::integer) AS a ON p.pid = a.pid
WHERE (date_part('epoch', a.backend_start) * 1000000)::bigint = $2::bigint;

-- name: progress_cluster
-- How far a CLUSTER or VACUUM FULL is. $1 process id, $2 its start in microseconds.
SELECT
    p.phase,
    p.heap_blks_scanned::bigint,
    p.heap_blks_total::bigint,
    'blocks'
FROM pg_catalog.pg_stat_progress_cluster AS p
INNER JOIN pg_catalog.pg_stat_get_activity($1::integer) AS a ON p.pid = a.pid
WHERE (date_part('epoch', a.backend_start) * 1000000)::bigint = $2::bigint;

-- name: progress_copy
-- How far a COPY is. $1 process id, $2 its start in microseconds.
SELECT
    lower(p.command),
    p.bytes_processed::bigint,
    p.bytes_total::bigint,
    'bytes'
FROM pg_catalog.pg_stat_progress_copy AS p
INNER JOIN pg_catalog.pg_stat_get_activity($1::integer) AS a ON p.pid = a.pid
WHERE (date_part('epoch', a.backend_start) * 1000000)::bigint = $2::bigint;

-- name: locked_row_place
-- Which table a lock on a row is in, how its primary key is made a text ("id = 101, region = 'eu'"), whether we may
-- read that and the place (the column ctid, number -1), and the key's columns. $1: the table's oid. The text is made by
-- what is the system's: format() and left().
SELECT
    n.nspname::text,
    c.relname::text,
    k.expression,
    k.readable,
    k.columns
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
CROSS JOIN LATERAL (
    SELECT
        string_agg(
            format(
                'left(format(%L, %s, t.%I), 300)', CASE WHEN ty.typcategory = 'N' THEN '%s = %s' ELSE '%s = %L' END,
                quote_literal(quote_ident(a.attname)), a.attname
            ), ' || '', '' || ' ORDER BY part.place
        ) AS expression,
        bool_and(has_column_privilege(c.oid, a.attnum, 'SELECT')) AND has_column_privilege(c.oid, (-1)::smallint, 'SELECT')
        AND has_schema_privilege(n.oid, 'USAGE') AS readable,
        string_agg(quote_ident(a.attname), ', ' ORDER BY part.place) AS columns
    FROM pg_catalog.pg_index AS i
    CROSS JOIN LATERAL unnest(i.indkey::smallint[]) WITH ORDINALITY AS part (attnum, place)
    INNER JOIN pg_catalog.pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = part.attnum
    INNER JOIN pg_catalog.pg_type AS ty ON a.atttypid = ty.oid
    WHERE i.indrelid = c.oid AND i.indisprimary AND part.place <= i.indnkeyatts
) AS k
WHERE c.oid = $1::bigint::oid AND c.relkind = 'r';

-- name: locked_row_limits
-- For the transaction that reads the row: it waits for the table for 0.1 s only, and where row security would run
-- functions of the table's owner with our rights, it fails instead.
SELECT set_config('lock_timeout', '100', true), set_config('row_security', 'off', true);

-- name: locked_row
-- The primary key of the one row at a place, by its place. $1: "(0,4)", $2: the table's oid, $3: its name. Only while
-- somebody has the lock on that place of that very table: afterwards the place may be another row's. Its holder keeps
-- vacuum from giving the place away.
SELECT {key}
FROM ONLY ({table}) AS t -- noqa: CP03
WHERE
    t.ctid = $1::text::tid
    AND to_regclass($3::text)::oid = $2::bigint::oid
    AND EXISTS (
        SELECT 1
        FROM pg_catalog.pg_locks AS l
        INNER JOIN pg_catalog.pg_database AS d ON l.database = d.oid
        WHERE
            d.datname = current_database() AND l.locktype = 'tuple' AND l.relation = $2::bigint::oid
            AND format('(%s,%s)', l.page, l.tuple) = $1::text
    );
