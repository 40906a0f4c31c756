-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Frees the rows by which frameworks lock. {compare} and {changes} are made of quoted names, casts and values by the program
-- (core/admin/RowAct.cpp).

-- name: lock_table
-- For the rest of the transaction nobody can put a trigger, a rule, an index, statistics or a partition on the table; whoever
-- reads or writes rows is not held up.
LOCK TABLE {table} IN SHARE UPDATE EXCLUSIVE MODE;

-- name: strangers
-- Whose code would run with our rights if a row of this table were changed? One row a fault: what, whose, what is wrong.
-- $1 schema, $2 table, $3 another role that the person in front of us trusts, or '', $4 the owner with whom this person has
-- approved the table, or '', or NULL: whoever owns it.
-- {trusted}: trust/owners. What a stranger's table may have that was approved: no trigger, rule or policy, and no expression but
-- of the system's own functions.
WITH RECURSIVE trusted AS MATERIALIZED (
    {trusted}
),

parts AS (
    SELECT c.oid
    FROM pg_catalog.pg_class AS c
    INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
    WHERE n.nspname = $1::text AND c.relname = $2::text
    UNION
    SELECT i.inhrelid
    FROM pg_catalog.pg_inherits AS i
    INNER JOIN parts AS p ON i.inhparent = p.oid
),

tables AS MATERIALIZED (
    SELECT
        c.oid,
        c.oid::pg_catalog.regclass::text AS name,
        c.relkind,
        c.relowner,
        c.relrowsecurity,
        n.nspname,
        -- pg_database_owner has one member.
        CASE
            WHEN pg_catalog.pg_get_userbyid(n.nspowner) = 'pg_database_owner'
                THEN (SELECT d.datdba FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database())
            ELSE n.nspowner
        END AS schema_owner,
        c.relowner IN (SELECT trusted.oid FROM trusted) AS is_trusted
    FROM pg_catalog.pg_class AS c
    INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
    INNER JOIN parts ON c.oid = parts.oid
),

expressions AS (
    SELECT
        'pg_catalog.pg_constraint'::pg_catalog.regclass AS catalogue,
        k.oid AS object,
        k.conrelid AS relation
    FROM pg_catalog.pg_constraint AS k
    UNION ALL
    SELECT
        'pg_catalog.pg_class'::pg_catalog.regclass,
        x.indexrelid,
        x.indrelid
    FROM pg_catalog.pg_index AS x
    UNION ALL
    SELECT
        'pg_catalog.pg_attrdef'::pg_catalog.regclass,
        d.oid,
        d.adrelid
    FROM pg_catalog.pg_attrdef AS d
    UNION ALL
    SELECT
        'pg_catalog.pg_statistic_ext'::pg_catalog.regclass,
        s.oid,
        s.stxrelid
    FROM pg_catalog.pg_statistic_ext AS s
    UNION ALL
    SELECT
        'pg_catalog.pg_class'::pg_catalog.regclass,
        k.partrelid,
        k.partrelid
    FROM pg_catalog.pg_partitioned_table AS k
)

SELECT
    t.name AS object,
    pg_catalog.pg_get_userbyid(t.relowner)::text AS owner,
    'it is no table any more' AS fault
FROM tables AS t
WHERE t.relkind NOT IN ('r', 'p')
UNION ALL
SELECT
    t.name,
    pg_catalog.pg_get_userbyid(t.relowner)::text,
    'its owner is neither you nor a role that you trust'
FROM tables AS t
WHERE NOT t.is_trusted AND pg_catalog.pg_get_userbyid(t.relowner)::text <> $4::text
UNION ALL
SELECT
    'schema ' || t.nspname,
    pg_catalog.pg_get_userbyid(t.schema_owner)::text,
    'its owner, who could put another table in the place of this one, is neither you nor a role that you trust'
FROM tables AS t
WHERE t.schema_owner NOT IN (SELECT trusted.oid FROM trusted) AND pg_catalog.pg_get_userbyid(t.relowner)::text <> $4::text
UNION ALL
SELECT
    'trigger ' || g.tgname || ' on ' || t.name,
    pg_catalog.pg_get_userbyid(CASE WHEN t.is_trusted THEN p.proowner ELSE t.relowner END)::text,
    'it would run with your rights'
FROM pg_catalog.pg_trigger AS g
INNER JOIN tables AS t ON g.tgrelid = t.oid
INNER JOIN pg_catalog.pg_proc AS p ON g.tgfoid = p.oid
WHERE NOT g.tgisinternal AND g.tgenabled <> 'D'
    AND (NOT t.is_trusted OR p.proowner NOT IN (SELECT trusted.oid FROM trusted))
UNION ALL
SELECT
    'rule ' || w.rulename || ' on ' || t.name,
    pg_catalog.pg_get_userbyid(t.relowner)::text,
    'it would run with your rights'
FROM pg_catalog.pg_rewrite AS w
INNER JOIN tables AS t ON w.ev_class = t.oid
WHERE NOT t.is_trusted
UNION ALL
SELECT
    t.name,
    pg_catalog.pg_get_userbyid(t.relowner)::text,
    'its row security would run with your rights'
FROM tables AS t
WHERE t.relrowsecurity AND NOT t.is_trusted
UNION ALL
SELECT
    k.conrelid::pg_catalog.regclass::text,
    pg_catalog.pg_get_userbyid(c.relowner)::text,
    'its rows would change with the row, and run its triggers with your rights'
FROM pg_catalog.pg_constraint AS k
INNER JOIN tables AS t ON k.confrelid = t.oid
INNER JOIN pg_catalog.pg_class AS c ON k.conrelid = c.oid
WHERE k.contype = 'f' AND c.relowner NOT IN (SELECT trusted.oid FROM trusted)
    AND (k.confdeltype IN ('c', 'n', 'd') OR k.confupdtype IN ('c', 'n', 'd'))
UNION ALL
SELECT
    pg_catalog.pg_describe_object(d.refclassid, d.refobjid, 0),
    pg_catalog.pg_get_userbyid(t.relowner)::text,
    'an index, a default, a constraint, statistics or partitions of the table would run it with your rights'
FROM expressions AS e
INNER JOIN tables AS t ON e.relation = t.oid
INNER JOIN pg_catalog.pg_depend AS d ON e.catalogue = d.classid AND e.object = d.objid
WHERE NOT t.is_trusted AND d.refclassid IN ('pg_catalog.pg_proc'::pg_catalog.regclass, 'pg_catalog.pg_operator'::pg_catalog.regclass)
    -- Those that nobody has added are pinned, and have no such row.
UNION ALL
SELECT
    'column ' || a.attname || ' of ' || t.name,
    pg_catalog.pg_get_userbyid(y.typowner)::text,
    'its type would be checked, or cast to text, with your rights'
FROM pg_catalog.pg_attribute AS a
INNER JOIN tables AS t ON a.attrelid = t.oid
INNER JOIN pg_catalog.pg_type AS y ON a.atttypid = y.oid
-- Whoever owns a type, be it an enum, can give it a cast of his own at any time, to text or to JSON.
WHERE a.attnum > 0 AND NOT a.attisdropped AND y.typowner NOT IN (SELECT trusted.oid FROM trusted)
ORDER BY 1, 2, 3;

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
