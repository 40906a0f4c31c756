-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Frees the rows by which frameworks lock. {compare} and {changes} are made of quoted names, casts and values by the program
-- (core/admin/ByHand.cpp).

-- name: lock_table
-- For the rest of the transaction nobody can put a trigger, a rule, an index, statistics or a partition on the table;
-- statements that read or write rows are not held up.
LOCK TABLE {table} IN SHARE UPDATE EXCLUSIVE MODE;

-- name: hold_schemas
-- For the rest of the transaction no schema gets another name: a qualified name means the table that was judged. For superusers.
LOCK TABLE pg_catalog.pg_namespace IN SHARE MODE NOWAIT;

-- name: strangers
-- Whose code would run with our rights if a row of this table were changed? One row a fault: what, whose, what is wrong, and
-- whether hold_schemas would mend it.
-- $1 schema, $2 table, $3 another role that the person in front of us trusts, or '', $4 the owner with whom this person has
-- approved the table, or '', or NULL: any owner, $5 whether schemas are held, $6 whether the table is: if it is, the name
-- must mean the table that lock_table has locked, and not one that was put in its place since.
-- {trusted}: trust/owners; {closure}: trust/closure. Approved was that a table is a stranger's, not what it runs.
WITH trusted AS MATERIALIZED (
    {trusted}
),

root AS MATERIALIZED (
    SELECT
        c.oid,
        c.oid::pg_catalog.regclass::text AS name,
        c.relkind,
        c.relowner,
        c.relrowsecurity,
        n.nspname,
        n.nspowner,
        pg_catalog.pg_get_userbyid(c.relowner)::text = coalesce($4::text, pg_catalog.pg_get_userbyid(c.relowner)::text)
            AS is_approved
    FROM pg_catalog.pg_class AS c
    INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
    WHERE n.nspname = $1::text AND c.relname = $2::text
),

roots AS MATERIALIZED (
    SELECT
        r.oid,
        true AS changes
    FROM root AS r
)

SELECT DISTINCT
    f.what AS object,
    f.whose AS owner,
    f.fault,
    false AS is_place
FROM (
    {closure}
) AS f
INNER JOIN root AS r ON f.root = r.oid
LEFT OUTER JOIN pg_catalog.pg_class AS c ON f.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND f.objid = c.oid
-- The table and its partitions.
WHERE NOT (r.is_approved AND f.owner = r.relowner AND c.relkind IS NOT NULL AND c.relkind IN ('r', 'p'))
UNION ALL
SELECT
    r.name,
    pg_catalog.pg_get_userbyid(r.relowner)::text,
    'it is no table any more',
    false
FROM root AS r
WHERE r.relkind NOT IN ('r', 'p')
UNION ALL
SELECT
    r.name,
    pg_catalog.pg_get_userbyid(r.relowner)::text,
    'its row security would run with your rights',
    false
FROM root AS r
WHERE r.relrowsecurity AND r.relowner NOT IN (SELECT t.oid FROM trusted AS t)
UNION ALL
SELECT
    $1::text || '.' || $2::text,
    'nobody',
    'it is not there any more',
    false
WHERE NOT EXISTS (SELECT FROM root)
UNION ALL
SELECT
    r.name,
    pg_catalog.pg_get_userbyid(r.relowner)::text,
    'it is another table than the one that was there just now',
    false
FROM root AS r
WHERE
    $6::boolean
    AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_locks AS l
        WHERE
            l.locktype = 'relation' AND l.pid = pg_catalog.pg_backend_pid() AND l.relation = r.oid
            AND l.database = (SELECT d.oid FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database())
            AND l.granted AND l.mode = 'ShareUpdateExclusiveLock'
    )
UNION ALL
SELECT
    'schema ' || r.nspname,
    pg_catalog.pg_get_userbyid(r.nspowner)::text,
    'its owner, who could put another table in the place of this one, is neither you nor a role that you trust',
    (SELECT u.rolsuper FROM pg_catalog.pg_roles AS u WHERE u.rolname = current_user)
FROM root AS r
WHERE NOT $5::boolean AND r.nspowner NOT IN (SELECT t.oid FROM trusted AS t)
ORDER BY 1, 2, 3;

-- name: fires
-- The code kept in the database that may run by itself when a row of this table is changed: what leads to it, and the function.
-- Those are its triggers, those of its partitions and of the tables that change with it, its rules, and all functions but the
-- system's that conditions of triggers, constraints, indexes, generated columns, defaults, policies and types lead to.
-- $1 schema, $2 table, $3 'UPDATE' or 'DELETE', $4 whether functions of that schema are left out. {closure}: trust/closure, which
-- tells all that there is if nobody is trusted.
WITH RECURSIVE changed AS (
    SELECT
        c.oid,
        $3::text = 'DELETE' AS is_deleted
    FROM pg_catalog.pg_class AS c
    INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
    WHERE n.nspname = $1::text AND c.relname = $2::text
    UNION
    SELECT
        e.oid,
        e.is_deleted
    FROM changed AS h
    CROSS JOIN LATERAL (
        SELECT
            i.inhrelid AS oid,
            h.is_deleted
        FROM pg_catalog.pg_inherits AS i
        WHERE i.inhparent = h.oid
        UNION ALL
        SELECT
            k.conrelid,
            h.is_deleted AND k.confdeltype = 'c'
        FROM pg_catalog.pg_constraint AS k
        WHERE
            k.contype = 'f' AND k.confrelid = h.oid
            AND CASE WHEN h.is_deleted THEN k.confdeltype ELSE k.confupdtype END IN ('c', 'n', 'd')
    ) AS e
),

-- Bits 3 and 4: before deletes and updates.
fired AS MATERIALIZED (
    SELECT g.oid
    FROM pg_catalog.pg_trigger AS g
    INNER JOIN changed AS h ON g.tgrelid = h.oid
    WHERE
        NOT g.tgisinternal AND g.tgenabled IN ('O', 'A') AND (g.tgtype & CASE WHEN h.is_deleted THEN 8 ELSE 16 END) <> 0
),

applied AS MATERIALIZED (
    SELECT w.oid
    FROM pg_catalog.pg_rewrite AS w
    INNER JOIN changed AS h ON w.ev_class = h.oid
    WHERE w.ev_enabled IN ('O', 'A') AND w.ev_type = CASE WHEN h.is_deleted THEN '4' ELSE '2' END
),

trusted AS MATERIALIZED (
    SELECT r.oid
    FROM pg_catalog.pg_roles AS r
    WHERE false
),

roots AS MATERIALIZED (
    SELECT
        c.oid,
        true AS changes
    FROM pg_catalog.pg_class AS c
    INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
    WHERE n.nspname = $1::text AND c.relname = $2::text
)

SELECT DISTINCT
    'trigger ' || g.tgname::text || ' on ' || g.tgrelid::pg_catalog.regclass::text,
    g.tgfoid::pg_catalog.regprocedure::text
FROM pg_catalog.pg_trigger AS g
INNER JOIN fired ON g.oid = fired.oid
INNER JOIN pg_catalog.pg_proc AS f ON g.tgfoid = f.oid
INNER JOIN pg_catalog.pg_namespace AS n ON f.pronamespace = n.oid
WHERE NOT ($4::boolean AND n.nspname = $1::text)
UNION
SELECT
    'rule ' || w.rulename::text || ' on ' || w.ev_class::pg_catalog.regclass::text,
    ''
FROM pg_catalog.pg_rewrite AS w
INNER JOIN applied ON w.oid = applied.oid
UNION
SELECT
    coalesce(pg_catalog.pg_describe_object(f.by_class, f.by_object, 0), ''),
    f.objid::pg_catalog.regprocedure::text
FROM (
    {closure}
) AS f
INNER JOIN pg_catalog.pg_proc AS p ON f.objid = p.oid
INNER JOIN pg_catalog.pg_namespace AS n ON p.pronamespace = n.oid
LEFT OUTER JOIN pg_catalog.pg_trigger AS g ON f.by_class = 'pg_catalog.pg_trigger'::pg_catalog.regclass AND f.by_object = g.oid
LEFT OUTER JOIN pg_catalog.pg_rewrite AS w ON f.by_class = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND f.by_object = w.oid
WHERE
    f.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND f.objid >= 16384 AND f.is_chosen
    AND NOT ($4::boolean AND n.nspname = $1::text)
    AND (g.oid IS NULL OR (g.tgfoid <> f.objid AND g.oid IN (SELECT fired.oid FROM fired)))
    AND (w.oid IS NULL OR w.ev_type = '1' OR w.oid IN (SELECT applied.oid FROM applied))
ORDER BY 1, 2;

-- name: rows
-- What the row is, as JSON, and keeps others from changing it for the rest of the transaction; of several alike two.
SELECT to_jsonb(t)::text
FROM {table} AS t
WHERE {compare}
LIMIT 2
{lock};

-- name: update_row
-- Frees exactly the row that was shown.
UPDATE {table} SET {changes}
WHERE {compare};

-- name: delete_row
-- Frees exactly the row that was shown.
DELETE FROM {table}
WHERE {compare};

-- name: row_now
-- What the row of this key has now in the columns that are compared.
SELECT {values}
FROM {table}
WHERE {compare}
LIMIT 2;
