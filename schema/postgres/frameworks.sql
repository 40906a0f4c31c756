-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The tables in which frameworks keep locks as rows: where they are and what stands in them. What stands in braces is filled in:
-- names in quotes, parameters, and parts that are here as queries of their own (what follows SELECT or WHERE).

-- name: tables
-- Which tables have these names, or have a column of those names, column by column: in every schema, from the catalogue alone.
-- $1 names, $2 names of columns, each in lower case and on a line of its own; $3 a role that the person in front of us trusts,
-- or ''; $4 patterns of names, as $1. {trusted}: trust/owners.
-- Trusted must be an owner since planning or reading a table may run its owner's
-- functions (of indexes, statistics, policies, types, views) with our rights. Types that are not the system's count like the
-- table, and so does its schema: who owns that can put another table in the place of this one between two looks.
WITH trusted AS MATERIALIZED (
    {trusted}
),

wanted AS MATERIALIZED (
    SELECT c.oid
    FROM pg_catalog.pg_class AS c
    WHERE
        lower(c.relname) = ANY(pg_catalog.string_to_array($1::text, chr(10)))
        OR lower(c.relname) LIKE ANY(pg_catalog.string_to_array($4::text, chr(10)))
    UNION
    SELECT a.attrelid
    FROM pg_catalog.pg_attribute AS a
    WHERE a.attnum > 0 AND NOT a.attisdropped AND lower(a.attname) = ANY(pg_catalog.string_to_array($2::text, chr(10)))
)

SELECT
    n.nspname::text,
    c.relname::text,
    c.oid::bigint,
    pg_catalog.pg_get_userbyid(c.relowner)::text,
    c.relowner IN (SELECT t.oid FROM trusted AS t) AND NOT EXISTS (
        SELECT
        FROM pg_catalog.pg_attribute AS foreign_column
        INNER JOIN pg_catalog.pg_type AS foreign_type ON foreign_column.atttypid = foreign_type.oid
        INNER JOIN pg_catalog.pg_namespace AS type_schema ON foreign_type.typnamespace = type_schema.oid
        WHERE
            foreign_column.attrelid = c.oid AND foreign_column.attnum > 0 AND type_schema.nspname <> 'pg_catalog'
            AND foreign_type.typowner NOT IN (SELECT t.oid FROM trusted AS t)
    )
    -- pg_database_owner has one member.
    AND CASE
        WHEN pg_catalog.pg_get_userbyid(n.nspowner) = 'pg_database_owner'
            THEN (SELECT d.datdba FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database())
        ELSE n.nspowner
    END IN (SELECT t.oid FROM trusted AS t),
    CASE
        WHEN pg_catalog.row_security_active(c.oid) THEN 2
        WHEN c.relkind = 'r' AND NOT c.relhassubclass THEN 1
        ELSE 0
    END,
    c.reltuples::bigint,
    a.attname::text,
    CASE WHEN y.typtype = 'd' THEN b.typname ELSE y.typname END::text,
    CASE
        WHEN NOT pg_catalog.has_schema_privilege(n.oid, 'USAGE') THEN 2
        WHEN pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT') THEN 1
        ELSE 0
    END,
    false AS is_computed
FROM wanted
INNER JOIN pg_catalog.pg_class AS c ON wanted.oid = c.oid
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
INNER JOIN pg_catalog.pg_attribute AS a ON c.oid = a.attrelid
INNER JOIN pg_catalog.pg_type AS y ON a.atttypid = y.oid
LEFT OUTER JOIN pg_catalog.pg_type AS b ON y.typbasetype = b.oid
WHERE
    c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND a.attnum > 0
    AND NOT a.attisdropped
    AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'lockscope')
    AND n.nspname NOT LIKE 'pg\_toast%'
    AND n.nspname NOT LIKE 'pg\_temp%'
ORDER BY 1, 2, a.attnum;

-- name: schemas
-- The names of the schemas and of the database: keys are computed from them; and whether this server copies another.
SELECT
    n.nspname::text,
    pg_catalog.current_database()::text,
    pg_catalog.pg_is_in_recovery()
FROM pg_catalog.pg_namespace AS n
WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_t%'
ORDER BY 1;

-- name: rows
-- The locks of one table, and at the end of each row how many there are.
SELECT
    {parts},
    count(*) OVER ()
FROM {table}
WHERE {held}
ORDER BY 1
LIMIT {most}::bigint;

-- name: rows_of_processes
-- The locks of one table with the processes that hold them, which another table lists.
SELECT
    {parts},
    count(*) OVER ()
FROM {table}
LEFT OUTER JOIN (
    SELECT
        {key}::text AS lockscope_key,
        {host}::text AS lockscope_host,
        {process}::text AS lockscope_process,
        {beat}::text AS lockscope_beat,
        {time}::bigint AS lockscope_time
    FROM {processes}
) AS p ON p.lockscope_key = {process_of}::text
WHERE {held}
ORDER BY 1
LIMIT {most}::bigint;

-- name: time_zoned
-- Microseconds since 1970. Times outside of the years 1 to 9999 (infinity) would fail the whole statement: they give NULL.
SELECT CASE WHEN {column} BETWEEN '0001-01-02' AND '9999-12-30' THEN (extract(epoch FROM {column}) * 1000000)::bigint END;

-- name: time_utc
-- The same of a time without a zone, in UTC.
SELECT CASE WHEN {column} BETWEEN '0001-01-02' AND '9999-12-30' THEN (extract(epoch FROM {column}::timestamp) * 1000000)::bigint END;

-- name: time_local
-- The same of the server's local time.
SELECT CASE WHEN {column} BETWEEN '0001-01-02' AND '9999-12-30' THEN (extract(epoch FROM {column}::timestamptz) * 1000000)::bigint END;

-- name: time_seconds
SELECT {column}::numeric * 1000000;

-- name: time_milliseconds
SELECT {column}::numeric * 1000;

-- name: time_ticks
SELECT ({column}::numeric - 621355968000000000) / 10;

-- name: nothing
-- What the table does not tell.
SELECT NULL;

-- name: always
SELECT 1 WHERE true;

-- name: is
SELECT 1 WHERE {column} = {value};

-- name: is_not
SELECT 1 WHERE {column} IS DISTINCT FROM {value};

-- name: is_null
SELECT 1 WHERE {column} IS NULL;

-- name: is_not_null
SELECT 1 WHERE {column} IS NOT NULL;

-- name: is_like
SELECT 1 WHERE {column}::text LIKE {value}::text;

-- name: is_future
-- What can't be reckoned with counts as to come. {value}: microseconds that are to be added to it.
SELECT 1 WHERE {column} IS NOT NULL
AND coalesce({time}, 9223372036854775807) > (date_part('epoch', clock_timestamp()) * 1000000)::bigint - {value}::bigint;

