-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Whether Lockscope's schema is there, of which version, and whether it can be trusted.

-- name: exists
-- Without rights on the schema this is an error, not "no".
SELECT to_regclass('lockscope.schema_version') IS NOT NULL;

-- name: version
SELECT left(v.version::text, 40) FROM lockscope.schema_version AS v ORDER BY v.version LIMIT 10;

-- name: check
-- What keeps this session from using the schema lockscope: who owns something in it, or may plant something in it, would act
-- with the session's rights. One row a fault: what, whose, and whether even reading the tables would run foreign code.
-- $1: another role that the person in front of us trusts, or ''. {trusted}: trust/owners; {closure}: trust/closure.
WITH trusted AS MATERIALIZED (
    {trusted}
),

ours AS (
    SELECT
        n.oid,
        n.nspowner,
        n.nspacl
    FROM pg_catalog.pg_namespace AS n
    WHERE n.nspname = 'lockscope'
),

owned AS (
    SELECT
        'pg_catalog.pg_class'::pg_catalog.regclass AS catalogue,
        c.oid AS object,
        c.relowner AS owner
    FROM pg_catalog.pg_class AS c
    INNER JOIN ours ON c.relnamespace = ours.oid
    UNION ALL
    SELECT
        'pg_catalog.pg_proc'::pg_catalog.regclass,
        p.oid,
        p.proowner
    FROM pg_catalog.pg_proc AS p
    INNER JOIN ours ON p.pronamespace = ours.oid
    UNION ALL
    SELECT
        'pg_catalog.pg_type'::pg_catalog.regclass,
        t.oid,
        t.typowner
    FROM pg_catalog.pg_type AS t
    INNER JOIN ours ON t.typnamespace = ours.oid
    UNION ALL
    SELECT
        'pg_catalog.pg_operator'::pg_catalog.regclass,
        o.oid,
        o.oprowner
    FROM pg_catalog.pg_operator AS o
    INNER JOIN ours ON o.oprnamespace = ours.oid
),

roots AS MATERIALIZED (
    SELECT
        c.oid,
        true AS changes
    FROM pg_catalog.pg_class AS c
    INNER JOIN ours ON c.relnamespace = ours.oid
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
)

SELECT
    'schema lockscope' AS object,
    pg_catalog.pg_get_userbyid(ours.nspowner)::text AS owner,
    CASE
        WHEN (SELECT r.rolsuper FROM pg_catalog.pg_roles AS r WHERE r.rolname = current_user)
            THEN 'its owner is no superuser, and you are: its functions would act with your rights'
        ELSE 'its owner is neither you nor a role of yours, nor the owner of the database, nor a superuser'
    END AS fault,
    true AS even_reading -- an index on an expression runs its function for anyone who plans a query
FROM ours
WHERE ours.nspowner NOT IN (SELECT t.oid FROM trusted AS t)
UNION ALL
SELECT
    pg_catalog.pg_describe_object(owned.catalogue, owned.object, 0),
    pg_catalog.pg_get_userbyid(owned.owner)::text,
    'it does not belong to the owner of the schema',
    true
FROM owned
CROSS JOIN ours
WHERE owned.owner <> ours.nspowner
UNION ALL
SELECT DISTINCT
    f.what,
    f.whose,
    f.fault,
    true
FROM (
    {closure}
) AS f
UNION ALL
SELECT
    t.tgname::text || ' on ' || t.tgrelid::pg_catalog.regclass::text,
    pg_catalog.pg_get_userbyid(p.proowner)::text,
    'a trigger that is not Lockscope''s',
    true
FROM pg_catalog.pg_trigger AS t
INNER JOIN pg_catalog.pg_class AS c ON t.tgrelid = c.oid
INNER JOIN ours ON c.relnamespace = ours.oid
INNER JOIN pg_catalog.pg_proc AS p ON t.tgfoid = p.oid
WHERE NOT t.tgisinternal AND (p.pronamespace <> ours.oid OR p.proowner <> ours.nspowner)
UNION ALL
SELECT
    c.oid::pg_catalog.regclass::text,
    pg_catalog.pg_get_userbyid(c.relowner)::text,
    'no plain table: it has rules, row security or columns of foreign types',
    true
FROM pg_catalog.pg_class AS c
INNER JOIN ours ON c.relnamespace = ours.oid
WHERE c.relname IN ('lock_entry', 'lock_waiter', 'app_lock_name', 'audit_log', 'schema_version', 'surrogate_key')
    AND (
        c.relkind <> 'r' OR c.relrowsecurity
        OR EXISTS (SELECT FROM pg_catalog.pg_rewrite AS w WHERE w.ev_class = c.oid)
        OR EXISTS (
            SELECT FROM pg_catalog.pg_attribute AS a
            INNER JOIN pg_catalog.pg_type AS t ON a.atttypid = t.oid
            INNER JOIN pg_catalog.pg_namespace AS n ON t.typnamespace = n.oid
            WHERE a.attrelid = c.oid AND a.attnum > 0 AND n.nspname <> 'pg_catalog'
        )
    )
UNION ALL
SELECT
    'schema lockscope',
    CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE pg_catalog.pg_get_userbyid(a.grantee)::text END,
    'may create objects in it',
    true
FROM ours
CROSS JOIN LATERAL pg_catalog.aclexplode(ours.nspacl) AS a
WHERE a.privilege_type = 'CREATE' AND a.grantee <> ours.nspowner
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.oid = a.grantee AND r.rolsuper)
UNION ALL
SELECT
    c.oid::pg_catalog.regclass::text,
    CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE pg_catalog.pg_get_userbyid(a.grantee)::text END,
    'may put triggers on it',
    true
FROM pg_catalog.pg_class AS c
INNER JOIN ours ON c.relnamespace = ours.oid
CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) AS a
WHERE a.privilege_type = 'TRIGGER' AND a.grantee <> ours.nspowner
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.oid = a.grantee AND r.rolsuper)
UNION ALL
SELECT
    'schema lockscope',
    pg_catalog.pg_get_userbyid(ours.nspowner)::text,
    NULL,
    false
FROM ours
ORDER BY 1, 2, 3;

-- name: untouched
-- Cheap, for each connection: whether `check` can find nothing, since nothing in the schema leads out of it: all that it has, with
-- the parts of that, is of the kinds that an installation makes, belongs to the schema's owner, whom we trust, and refers to nothing
-- else but what initdb has made; nothing outside refers to it but views; nobody else may create in it or put triggers on it. One
-- row if the schema is there. False is no fault: it is checked then. $1 and {trusted}: as in `check`; {gifts}: trust/gifts.
WITH RECURSIVE trusted AS MATERIALIZED (
    {trusted}
),

ours AS (
    SELECT
        n.oid,
        n.nspowner,
        n.nspacl,
        n.xmin
    FROM pg_catalog.pg_namespace AS n
    WHERE n.nspname = 'lockscope'
),

part (classid, objid) AS (
    SELECT
        d.classid,
        d.objid
    FROM ours
    INNER JOIN pg_catalog.pg_depend AS d
        ON d.refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass AND ours.oid = d.refobjid
    UNION
    SELECT
        d.classid,
        d.objid
    FROM part AS p
    INNER JOIN pg_catalog.pg_depend AS d ON p.classid = d.refclassid AND p.objid = d.refobjid
    WHERE d.deptype <> 'n'
),

relation AS (
    SELECT
        c.oid,
        c.relname,
        c.relowner,
        c.relkind,
        c.relrowsecurity,
        c.relacl
    FROM part AS p
    INNER JOIN pg_catalog.pg_class AS c ON p.objid = c.oid
    WHERE p.classid = 'pg_catalog.pg_class'::pg_catalog.regclass
)

SELECT
    ours.nspowner IN (SELECT t.oid FROM trusted AS t)
    AND NOT EXISTS (
        SELECT
        FROM pg_catalog.aclexplode(ours.nspacl) AS a
        WHERE a.privilege_type = 'CREATE' AND a.grantee <> ours.nspowner
    )
    AND NOT EXISTS (
        SELECT
        FROM relation AS c
        WHERE
            c.relowner <> ours.nspowner OR c.relrowsecurity OR c.relkind NOT IN ('r', 'v', 'i', 'S', 't')
            OR c.relkind = 'v' AND c.relname NOT IN ('live_waiter', 'holders', 'waiters', 'stale', 'audit')
            OR EXISTS (
                SELECT FROM pg_catalog.aclexplode(c.relacl) AS a
                WHERE a.privilege_type = 'TRIGGER' AND a.grantee <> ours.nspowner
            )
    )
    AND NOT EXISTS (
        SELECT
        FROM part AS p
        WHERE
            CASE p.classid
                WHEN 'pg_catalog.pg_class'::pg_catalog.regclass THEN false
                WHEN 'pg_catalog.pg_constraint'::pg_catalog.regclass THEN false
                WHEN 'pg_catalog.pg_attrdef'::pg_catalog.regclass THEN false
                WHEN 'pg_catalog.pg_proc'::pg_catalog.regclass
                    THEN NOT EXISTS (SELECT FROM pg_catalog.pg_proc AS f WHERE f.oid = p.objid AND f.proowner = ours.nspowner)
                WHEN 'pg_catalog.pg_type'::pg_catalog.regclass
                    THEN NOT EXISTS (SELECT FROM pg_catalog.pg_type AS y WHERE y.oid = p.objid AND y.typowner = ours.nspowner)
                WHEN 'pg_catalog.pg_rewrite'::pg_catalog.regclass
                    THEN EXISTS (SELECT FROM pg_catalog.pg_rewrite AS w WHERE w.oid = p.objid AND w.ev_type <> '1')
                WHEN 'pg_catalog.pg_trigger'::pg_catalog.regclass
                    THEN EXISTS (
                        SELECT FROM pg_catalog.pg_trigger AS g
                        WHERE
                            g.oid = p.objid
                            AND (
                                g.tgnargs > 0 OR g.tgqual::text ~ ':(funcid|aggfnoid|winfnoid) '
                                OR NOT EXISTS (
                                    SELECT FROM part AS f
                                    WHERE f.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND f.objid = g.tgfoid
                                )
                            )
                    )
                ELSE true
            END
    )
    AND NOT EXISTS (
        SELECT
        FROM part AS p
        INNER JOIN pg_catalog.pg_depend AS d ON p.classid = d.classid AND p.objid = d.objid
        WHERE
            NOT (d.refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass AND d.refobjid = ours.oid)
            AND NOT EXISTS (
                SELECT FROM pg_catalog.pg_language AS l
                INNER JOIN trusted AS t ON l.lanowner = t.oid
                WHERE
                    d.refclassid = 'pg_catalog.pg_language'::pg_catalog.regclass AND l.oid = d.refobjid AND l.oid < 16384
            )
            AND (d.refclassid, d.refobjid) NOT IN (SELECT o.classid, o.objid FROM part AS o)
    )
    AND NOT EXISTS (
        SELECT
        FROM part AS p
        INNER JOIN pg_catalog.pg_depend AS d ON p.classid = d.refclassid AND p.objid = d.refobjid
        WHERE
            d.classid <> 'pg_catalog.pg_rewrite'::pg_catalog.regclass
            AND (d.classid, d.objid) NOT IN (SELECT o.classid, o.objid FROM part AS o)
    )
    AND NOT EXISTS (
        {gifts}
    ),
    -- As `identity` has it.
    ours.oid::text || ' ' || ours.xmin::text || ' '
    || coalesce((SELECT c.oid::text FROM pg_catalog.pg_class AS c WHERE c.relname = 'schema_version' AND c.relnamespace = ours.oid), '')
FROM ours;

-- name: identity
-- What tells the schema $1 from another of that name, and from itself after somebody has changed its owner or its rights: asked
-- before the schema is judged.
SELECT
    n.oid::text || ' ' || n.xmin::text || ' '
    || coalesce((SELECT c.oid::text FROM pg_catalog.pg_class AS c WHERE c.relname = 'schema_version' AND c.relnamespace = n.oid), '')
FROM pg_catalog.pg_namespace AS n
WHERE n.nspname = $1::text;

-- name: hold
-- Comes before each statement that names the schema, in one transaction with it, and is only described, or parsed where nothing is
-- kept, never run. That takes the table's weakest lock and runs nothing, whatever bears the name by now: until the end of the
-- transaction nobody can drop the schema.
SELECT FROM {schema}.schema_version;

-- name: same
-- Follows `hold`, and names nothing but the system's own: fails the transaction, before anything of the schema is looked up,
-- unless the schema is the one that was judged: $1 to $3, the parts of its identity.
SELECT
    CASE
        WHEN
            pg_catalog.to_regclass('{schema}.schema_version')::oid = $3::oid
            AND (SELECT n.nspname = '{schema}' AND n.xmin = $2::xid FROM pg_catalog.pg_namespace AS n WHERE n.oid = $1::oid)
            THEN 0
        ELSE
            ('lockscope: not as judged: ' || coalesce(pg_catalog.to_regclass('{schema}.schema_version')::oid::text, 'gone'))::integer
    END;

-- name: uninstall_preview
-- What uninstall.sql would destroy: entries of the lock table, waiters, rows of the audit, surrogate tables and keys.
SELECT
    (SELECT count(*) FROM lockscope.lock_entry) AS entries,
    (SELECT count(*) FROM lockscope.lock_waiter) AS waiters,
    (SELECT count(*) FROM lockscope.audit_log) AS audit_rows,
    (
        SELECT count(*)
        FROM pg_catalog.pg_class AS c INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
        WHERE n.nspname = 'lockscope' AND c.relkind = 'r' AND c.relname LIKE 'surrogate:%'
    ) AS surrogate_tables,
    (SELECT count(*) FROM lockscope.surrogate_key) AS surrogate_keys;
