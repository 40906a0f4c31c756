-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The names of what locks are on, looked up once for each.

-- name: databases
-- Names of databases. $1: their oids, as an array literal.
SELECT
    oid::bigint,
    datname::text
FROM pg_catalog.pg_database
WHERE oid = ANY($1::text::oid[]);

-- name: open_databases
-- Of these databases, those that this role may connect to while connections are left for others: a tenth of them, at least.
-- $1: their oids, as an array literal.
SELECT
    d.oid::bigint,
    d.datname::text
FROM pg_catalog.pg_database AS d
WHERE
    d.oid = ANY($1::text::oid[])
    AND d.datallowconn
    AND has_database_privilege(d.oid, 'CONNECT')
    AND (SELECT sum(numbackends) FROM pg_catalog.pg_stat_database) < 0.9 * current_setting('max_connections')::integer;

-- name: roles
-- Names of roles. $1: their oids, as an array literal.
SELECT
    oid::bigint,
    rolname::text
FROM pg_catalog.pg_roles
WHERE oid = ANY($1::text::oid[]);

-- name: relations
-- Names of relations of this database. $1: their oids, as an array literal.
SELECT
    c.oid::bigint,
    format('%I.%I', n.nspname, c.relname) || CASE c.relkind
        WHEN 'i' THEN ' (index)'
        WHEN 'I' THEN ' (index)'
        WHEN 'S' THEN ' (sequence)'
        WHEN 'v' THEN ' (view)'
        WHEN 'm' THEN ' (materialized view)'
        ELSE ''
    END
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
WHERE c.oid = ANY($1::text::oid[]);

-- name: object
-- What a lock on another catalogued object means. $1 class, $2 object, $3 part of the object.
SELECT pg_catalog.pg_describe_object($1::bigint::oid, $2::bigint::oid, $3::bigint::integer);

-- name: app_locks
-- Registered names of advisory locks. $1: their keys, as an array literal.
SELECT
    key,
    name
FROM lockscope.app_lock_name
WHERE key = ANY($1::text::bigint[]);

-- name: table_columns
-- The columns of the tables that this session may read, in their order: whether a column can hold a lock's name, and
-- whether a time, and whether that time knows its zone.
SELECT
    n.nspname::text,
    c.relname::text,
    a.attname::text,
    (t.typcategory = 'S')::integer,
    (t.typname IN ('timestamp', 'timestamptz'))::integer,
    (t.typname = 'timestamptz')::integer
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
INNER JOIN pg_catalog.pg_attribute AS a ON c.oid = a.attrelid
INNER JOIN pg_catalog.pg_type AS t ON a.atttypid = t.oid
WHERE
    c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND a.attnum > 0
    AND NOT a.attisdropped
    AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'lockscope')
    AND n.nspname NOT LIKE 'pg\_toast%'
    AND n.nspname NOT LIKE 'pg\_temp%'
    AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
    AND pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT')
ORDER BY n.nspname, c.relname, a.attnum;
