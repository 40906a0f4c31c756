-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The tables in which frameworks keep locks as rows: where they are and what stands in them. What stands in braces is filled in:
-- names in quotes, parameters, and parts that are here as queries of their own (what follows SELECT or WHERE).

-- name: tables
-- Which tables have these names, or have a column of those names, column by column: in every schema, from the catalogue alone.
-- $1 names, $2 names of columns, each in lower case and on a line of its own; $3 a role that the person in front of us trusts,
-- or ''; $4 patterns of names, as $1. {trusted}: trust/owners; {gifts}: trust/gifts; {prints}: frameworks/prints.
-- Trusted must be an owner since planning or reading a table may run its owner's functions (of indexes, statistics, policies,
-- types, views) with our rights; so must be all whose code the table itself leads to, and who owns its schema: he can put
-- another table in the place of this one between two polls. The last column tells whether a trusted table leads anywhere by what
-- trust/closure would follow from it, which few do: those are to be asked for by frameworks/referring.
WITH trusted AS MATERIALIZED (
    {trusted}
),

found AS MATERIALIZED (
    SELECT c.oid
    FROM pg_catalog.pg_class AS c
    WHERE
        lower(c.relname) = ANY(pg_catalog.string_to_array($1::text, chr(10)))
        OR lower(c.relname) LIKE ANY(pg_catalog.string_to_array($4::text, chr(10)))
    UNION
    SELECT a.attrelid
    FROM pg_catalog.pg_attribute AS a
    WHERE a.attnum > 0 AND NOT a.attisdropped AND lower(a.attname) = ANY(pg_catalog.string_to_array($2::text, chr(10)))
),

roots AS MATERIALIZED (
    SELECT
        c.oid,
        false AS changes
    FROM found
    INNER JOIN pg_catalog.pg_class AS c ON found.oid = c.oid
    INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
    WHERE
        c.oid >= 16384
        AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
        AND n.nspname NOT LIKE 'pg\_t%'
        AND c.relowner IN (SELECT t.oid FROM trusted AS t)
        AND n.nspowner IN (SELECT t.oid FROM trusted AS t)
),

referring AS MATERIALIZED (
    SELECT c.oid
    FROM roots AS r
    INNER JOIN pg_catalog.pg_class AS c ON r.oid = c.oid
    WHERE
        c.relkind <> 'r' OR c.relhasrules OR c.relrowsecurity
        OR EXISTS (
            SELECT FROM pg_catalog.pg_depend AS d
            WHERE
                d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid
                AND d.refclassid NOT IN (
                    'pg_catalog.pg_namespace'::pg_catalog.regclass, 'pg_catalog.pg_extension'::pg_catalog.regclass
                )
        )
        OR EXISTS (
            SELECT FROM pg_catalog.pg_index AS i
            WHERE
                i.indrelid = c.oid
                AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL OR i.indclass::text ~ '[0-9]{5}' OR i.indisexclusion)
        )
        OR EXISTS (
            SELECT FROM pg_catalog.pg_constraint AS k
            WHERE k.conrelid = c.oid AND k.contype NOT IN ('p', 'u', 'n', 'f', 't')
        )
        OR EXISTS (SELECT FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = c.oid AND a.attgenerated <> '')
        OR EXISTS (SELECT FROM pg_catalog.pg_statistic_ext AS s WHERE s.stxrelid = c.oid)
        OR EXISTS (SELECT FROM pg_catalog.pg_inherits AS h WHERE h.inhrelid = c.oid)
        OR EXISTS (SELECT FROM pg_catalog.pg_inherits AS h WHERE h.inhparent = c.oid)
        OR EXISTS (
            {gifts}
        )
),

-- Others are not read by their names.
wanted AS MATERIALIZED (
    SELECT c.oid
    FROM pg_catalog.pg_class AS c
    INNER JOIN found ON c.oid = found.oid
    WHERE c.relowner IN (SELECT t.oid FROM trusted AS t)
),

prints AS MATERIALIZED (
    {prints}
),

-- What is the same for all columns of a table is asked once.
relation AS MATERIALIZED (
    SELECT
        c.oid,
        n.nspname::text,
        c.relname::text,
        pg_catalog.pg_get_userbyid(c.relowner)::text AS owner,
        c.oid IN (SELECT r.oid FROM roots AS r) AS is_trusted,
        c.oid IN (SELECT d.oid FROM referring AS d) AS is_referring,
        CASE
            WHEN c.relrowsecurity AND pg_catalog.row_security_active(c.oid) THEN 2
            WHEN c.relkind = 'r' AND NOT c.relhassubclass THEN 1
            ELSE 0
        END AS kind,
        c.reltuples::bigint AS row_count,
        pg_catalog.has_schema_privilege(n.oid, 'USAGE') AS is_reachable,
        pg_catalog.has_table_privilege(c.oid, 'SELECT') AS is_readable,
        c.relkind IN ('r', 'p', 'v') AS is_lockable, -- those of other kinds nobody can lock
        c.relpages::bigint AS pages
    FROM found
    INNER JOIN pg_catalog.pg_class AS c ON found.oid = c.oid
    INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
    WHERE
        c.relkind IN ('r', 'p', 'v', 'm', 'f')
        AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'lockscope')
        AND n.nspname NOT LIKE 'pg\_toast%'
        AND n.nspname NOT LIKE 'pg\_temp%'
)

SELECT
    c.nspname,
    c.relname,
    c.oid::bigint,
    c.owner,
    c.is_trusted,
    c.kind,
    c.row_count,
    a.attname::text,
    CASE WHEN y.typtype = 'd' THEN b.typname ELSE y.typname END::text,
    CASE
        WHEN NOT c.is_reachable THEN 2
        WHEN c.is_readable OR pg_catalog.has_column_privilege(c.oid, a.attnum, 'SELECT') THEN 1
        ELSE 0
    END,
    false AS is_computed,
    prints.print,
    c.is_readable AND c.is_lockable,
    c.pages,
    c.is_referring
FROM relation AS c
LEFT OUTER JOIN prints ON c.oid = prints.relation
INNER JOIN pg_catalog.pg_attribute AS a ON c.oid = a.attrelid
INNER JOIN pg_catalog.pg_type AS y ON a.atttypid = y.oid
LEFT OUTER JOIN pg_catalog.pg_type AS b ON y.typbasetype = b.oid
WHERE a.attnum > 0 AND NOT a.attisdropped
ORDER BY c.nspname COLLATE "C", c.relname COLLATE "C", a.attnum;

-- name: referring
-- Which of the tables $2 (oids) would run code of somebody whom we don't trust when they are read. $1: as $3 of `tables`.
-- {trusted}: trust/owners; {closure}: trust/closure.
WITH trusted AS MATERIALIZED (
    {trusted}
),

roots AS MATERIALIZED (
    SELECT
        u.oid::oid AS oid,
        false AS changes
    FROM pg_catalog.unnest($2::text[]) AS u (oid)
)

SELECT DISTINCT f.root::bigint
FROM (
    {closure}
) AS f;

-- name: prints
-- What tells each table of `wanted` from what it was when it was judged: a digest of all rows of the catalogue that say what
-- reading it runs. A row that is written again has another xmin. Vacuum and analyze write theirs in place.
SELECT
    s.relation,
    pg_catalog.encode(pg_catalog.sha256(pg_catalog.string_agg(s.sign, ',' ORDER BY s.sign COLLATE "C")::bytea), 'hex') AS print
FROM (
    SELECT
        c.oid AS relation,
        'c ' || c.relkind::text || ' ' || c.relowner::text || ' ' || c.xmin::text AS sign
    FROM pg_catalog.pg_class AS c
    INNER JOIN wanted ON c.oid = wanted.oid
    UNION ALL
    SELECT
        c.oid,
        'n ' || n.oid::text || ' ' || n.xmin::text
    FROM pg_catalog.pg_class AS c
    INNER JOIN wanted ON c.oid = wanted.oid
    INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
    UNION ALL
    SELECT
        a.attrelid,
        'a ' || a.attnum::text || ' ' || a.xmin::text || ' ' || y.oid::text || ' ' || y.xmin::text
    FROM pg_catalog.pg_attribute AS a
    INNER JOIN wanted ON a.attrelid = wanted.oid
    INNER JOIN pg_catalog.pg_type AS y ON a.atttypid = y.oid
    WHERE a.attnum > 0
    UNION ALL
    SELECT
        a.attrelid,
        't ' || t.oid::text || ' ' || t.xmin::text
    FROM pg_catalog.pg_attribute AS a
    INNER JOIN wanted ON a.attrelid = wanted.oid
    INNER JOIN pg_catalog.pg_cast AS t ON a.atttypid = t.castsource
    WHERE a.attnum > 0 AND a.atttypid >= 16384 -- those of the system's types are not judged
    UNION ALL
    SELECT
        x.indrelid,
        'x ' || x.indexrelid::text || ' ' || x.xmin::text
    FROM pg_catalog.pg_index AS x
    INNER JOIN wanted ON x.indrelid = wanted.oid
    UNION ALL
    SELECT
        k.conrelid,
        'k ' || k.oid::text || ' ' || k.xmin::text
    FROM pg_catalog.pg_constraint AS k
    INNER JOIN wanted ON k.conrelid = wanted.oid
    UNION ALL
    SELECT
        d.adrelid,
        'd ' || d.oid::text || ' ' || d.xmin::text
    FROM pg_catalog.pg_attrdef AS d
    INNER JOIN wanted ON d.adrelid = wanted.oid
    UNION ALL
    SELECT
        w.ev_class,
        'w ' || w.oid::text || ' ' || w.xmin::text
    FROM pg_catalog.pg_rewrite AS w
    INNER JOIN wanted ON w.ev_class = wanted.oid
    UNION ALL
    SELECT
        p.polrelid,
        'p ' || p.oid::text || ' ' || p.xmin::text
    FROM pg_catalog.pg_policy AS p
    INNER JOIN wanted ON p.polrelid = wanted.oid
    UNION ALL
    SELECT
        e.stxrelid,
        'e ' || e.oid::text || ' ' || e.xmin::text
    FROM pg_catalog.pg_statistic_ext AS e
    INNER JOIN wanted ON e.stxrelid = wanted.oid
    UNION ALL
    SELECT
        g.tgrelid,
        'g ' || g.oid::text || ' ' || g.xmin::text
    FROM pg_catalog.pg_trigger AS g
    INNER JOIN wanted ON g.tgrelid = wanted.oid
    UNION ALL
    SELECT
        i.inhparent,
        'i ' || i.inhrelid::text || ' ' || i.xmin::text
    FROM pg_catalog.pg_inherits AS i
    INNER JOIN wanted ON i.inhparent = wanted.oid
) AS s
GROUP BY s.relation;

-- name: lock_tables
-- Resolves the names and nothing else, and waits for nobody: until the end of the transaction no other table can take the place
-- of these, and nobody can alter them.
LOCK TABLE {tables} IN ACCESS SHARE MODE NOWAIT;

-- name: unchanged
-- Fails the transaction, before anything of the tables is looked at, unless they are those that were judged, and as they were:
-- $1 their oids, $2 their prints. The error names the oids of those that are not. {prints}: frameworks/prints.
WITH wanted AS MATERIALIZED (
    SELECT u.oid::oid AS oid
    FROM pg_catalog.unnest($1::text[]) AS u (oid)
),

prints AS MATERIALIZED (
    {prints}
)

SELECT ('lockscope: not as judged: ' || pg_catalog.string_agg(j.oid, ' '))::integer
FROM unnest($1::text[], $2::text[]) AS j (oid, print)
LEFT OUTER JOIN prints ON j.oid::oid = prints.relation
WHERE prints.print IS DISTINCT FROM j.print
HAVING count(*) > 0;

-- name: plan_once
-- A statement for many tables takes long to plan: for the rest of the transaction a plan for any parameters will do.
SELECT pg_catalog.set_config('plan_cache_mode', 'force_generic_plan', true);

-- name: locked
-- Which of the tables $1 (oids) nobody can read now, since somebody has the exclusive lock or stands in the queue for it.
SELECT
    l.relation::bigint,
    min(l.pid)::bigint
FROM pg_catalog.pg_locks AS l
WHERE
    l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock'
    AND l.database = (SELECT d.oid FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database())
    AND l.relation = ANY($1::oid[])
GROUP BY l.relation;

-- name: copy_settings
-- Before tables of strangers are copied: row security, which would run their policies, makes an error instead.
SELECT
    pg_catalog.set_config('row_security', 'off', true),
    pg_catalog.set_config('transaction_read_only', 'on', true);

-- name: copy_patience
-- Before each of them: what is left of the milliseconds for which all of them together may be waited for.
SELECT
    pg_catalog.set_config(
        'lock_timeout',
        greatest(
            1,
            {patience}
            - pg_catalog.date_part('epoch', pg_catalog.clock_timestamp() - pg_catalog.transaction_timestamp()) * 1000
        )::pg_catalog.int4::pg_catalog.text,
        true
    );

-- name: copy
-- All rows of a plain table, as its owner can't help: COPY plans nothing, so that no expression, rule, policy or cast runs, and
-- what is no plain table is refused when it is opened.
COPY {table} ({copied}) TO STDOUT;

-- name: copied
-- Those rows as a table again. {typed}: the columns with their types, which are the system's own.
SELECT *
FROM pg_catalog.json_to_recordset({json}::json) AS t ({typed});

-- name: of_shape
-- The locks of one of several tables that have the same columns.
SELECT
    r.*,
    {number}
FROM ({rows}) AS r;

-- name: schemas
-- The names of the schemas and of the database: keys are computed from them; whether this server copies another; its time
-- zone, and by how many seconds it is ahead of UTC.
SELECT
    n.nspname::text,
    pg_catalog.current_database()::text,
    pg_catalog.pg_is_in_recovery(),
    pg_catalog.current_setting('TimeZone')::text,
    extract(TIMEZONE FROM pg_catalog.clock_timestamp())::bigint
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


-- name: reader
-- Why this role is none by which frameworks' tables are read: what somebody could gain whose code it runs. One row a reason; none:
-- it may look on, as pg_monitor may, and read what it was given to read.
WITH RECURSIVE roles AS (
    SELECT r.oid
    FROM pg_catalog.pg_roles AS r
    WHERE r.rolname IN (session_user, current_user)
    UNION
    SELECT m.roleid
    FROM pg_catalog.pg_auth_members AS m
    INNER JOIN roles ON m.member = roles.oid
),

objects AS (
    SELECT c.oid::pg_catalog.regclass::text AS name
    FROM pg_catalog.pg_class AS c
    WHERE
        (
            c.relkind IN ('r', 'p', 'v', 'm', 'f')
            AND pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER')
            AND NOT pg_catalog.has_table_privilege('public', c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER')
        )
        OR (
            c.relkind IN ('r', 'p', 'v', 'f')
            AND pg_catalog.has_any_column_privilege(c.oid, 'INSERT, UPDATE')
            AND NOT pg_catalog.has_any_column_privilege('public', c.oid, 'INSERT, UPDATE')
        )
        OR (
            c.relkind = 'S'
            AND pg_catalog.has_sequence_privilege(c.oid, 'USAGE, UPDATE')
            AND NOT pg_catalog.has_sequence_privilege('public', c.oid, 'USAGE, UPDATE')
        )
    LIMIT 1
),

-- What was given to a role of it beside what everybody has, and what the installation of the server or of an extension gives.
functions AS (
    SELECT p.oid::pg_catalog.regprocedure::text AS name
    FROM pg_catalog.pg_proc AS p
    CROSS JOIN LATERAL pg_catalog.aclexplode(p.proacl) AS a
    WHERE
        a.grantee IN (SELECT r.oid FROM roles AS r)
        AND a.privilege_type = 'EXECUTE'
        AND NOT pg_catalog.has_function_privilege('public', p.oid, 'EXECUTE')
        AND NOT EXISTS (
            SELECT FROM pg_catalog.pg_init_privs AS i
            CROSS JOIN LATERAL pg_catalog.aclexplode(i.initprivs) AS g
            WHERE
                i.classoid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND i.objoid = p.oid AND g.grantee = a.grantee
                AND g.privilege_type = a.privilege_type
        )
    ORDER BY 1
    LIMIT 1
),

given AS (
    SELECT
        'make objects in the database ' || d.datname AS what,
        a.grantee
    FROM pg_catalog.pg_database AS d
    CROSS JOIN LATERAL pg_catalog.aclexplode(d.datacl) AS a
    WHERE a.privilege_type = 'CREATE'
    UNION ALL
    SELECT
        'make objects in the tablespace ' || s.spcname,
        a.grantee
    FROM pg_catalog.pg_tablespace AS s
    CROSS JOIN LATERAL pg_catalog.aclexplode(s.spcacl) AS a
    UNION ALL
    SELECT
        'use the foreign server ' || f.srvname,
        a.grantee
    FROM pg_catalog.pg_foreign_server AS f
    CROSS JOIN LATERAL pg_catalog.aclexplode(f.srvacl) AS a
    UNION ALL
    SELECT
        'use the foreign-data wrapper ' || w.fdwname,
        a.grantee
    FROM pg_catalog.pg_foreign_data_wrapper AS w
    CROSS JOIN LATERAL pg_catalog.aclexplode(w.fdwacl) AS a
    UNION ALL
    SELECT
        'use the language ' || l.lanname,
        a.grantee
    FROM pg_catalog.pg_language AS l
    CROSS JOIN LATERAL pg_catalog.aclexplode(l.lanacl) AS a
    UNION ALL
    SELECT
        'use the large object ' || o.oid::text,
        a.grantee
    FROM pg_catalog.pg_largeobject_metadata AS o
    CROSS JOIN LATERAL pg_catalog.aclexplode(o.lomacl) AS a
)

SELECT 'it is a superuser, or may make roles or databases, replicate, or pass by row security, by the role ' || r.rolname
FROM pg_catalog.pg_roles AS r
INNER JOIN roles ON r.oid = roles.oid
WHERE r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication OR r.rolbypassrls
UNION ALL
SELECT 'it is a member of ' || r.rolname
FROM pg_catalog.pg_roles AS r
INNER JOIN roles ON r.oid = roles.oid
WHERE
    r.rolname LIKE 'pg\_%'
    AND r.rolname NOT IN ('pg_monitor', 'pg_read_all_settings', 'pg_read_all_stats', 'pg_stat_scan_tables')
UNION ALL
SELECT 'it is the owner of objects, by the role ' || r.rolname
FROM pg_catalog.pg_roles AS r
INNER JOIN roles ON r.oid = roles.oid
WHERE EXISTS (SELECT 1 FROM pg_catalog.pg_shdepend AS d WHERE d.refobjid = r.oid AND d.deptype = 'o')
UNION ALL
SELECT 'it may write to ' || o.name
FROM objects AS o
UNION ALL
SELECT 'it may call ' || f.name || ', which not everybody may'
FROM functions AS f
UNION ALL
SELECT 'it may make objects in the schema ' || n.nspname
FROM pg_catalog.pg_namespace AS n
WHERE pg_catalog.has_schema_privilege(n.oid, 'CREATE') AND NOT pg_catalog.has_schema_privilege('public', n.oid, 'CREATE')
UNION ALL
SELECT DISTINCT 'it may ' || g.what
FROM given AS g
WHERE g.grantee IN (SELECT r.oid FROM roles AS r);

-- name: reader_parameters
-- The same of the server's settings, whose rights PostgreSQL keeps from version 15 on: by them a session could change what others
-- have restricted.
WITH RECURSIVE roles AS (
    SELECT r.oid
    FROM pg_catalog.pg_roles AS r
    WHERE r.rolname IN (session_user, current_user)
    UNION
    SELECT m.roleid
    FROM pg_catalog.pg_auth_members AS m
    INNER JOIN roles ON m.member = roles.oid
)

SELECT DISTINCT 'it may change the setting ' || p.parname
FROM pg_catalog.pg_parameter_acl AS p
CROSS JOIN LATERAL pg_catalog.aclexplode(p.paracl) AS a
WHERE a.grantee IN (SELECT r.oid FROM roles AS r);
