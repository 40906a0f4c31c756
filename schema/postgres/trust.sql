-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Whom a session trusts, and what runs with its rights that belongs to others. Part of schema/check, frameworks/tables,
-- frameworks_admin/strangers and the check of a team's history, which have {trusted} and {closure} for them. The scripts that
-- install, which run by themselves, have the same texts between "trust/…: begins" and "ends"; tst_TrustRule compares them.

-- name: owners
-- The roles that gain nothing if their code runs with our rights: superusers, the session's own role and roles that it is a
-- member of; to those who are no superusers, the database's owner, too. {parameter}: another role that the person in front of us
-- trusts, or ''. A database or a setting may have given the session another role than that of its login, to which it can go
-- back: both must trust. Not trusted are roles that are groups of people who need not know each other (those of the system and
-- of Lockscope): each of their members can give them objects. pg_database_owner is the owner of the database.
SELECT r.oid
FROM pg_catalog.pg_roles AS r
CROSS JOIN (SELECT d.datdba FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database()) AS here
INNER JOIN pg_catalog.pg_roles AS o
    ON o.oid = CASE WHEN r.rolname = 'pg_database_owner' THEN here.datdba ELSE r.oid END
WHERE
    o.rolsuper OR o.rolname = {parameter}::text
    OR CASE WHEN current_user = session_user THEN 1 ELSE 2 END = (
        SELECT count(*)
        FROM pg_catalog.pg_roles AS me
        WHERE
            me.rolname IN (current_user, session_user)
            AND (
                o.oid = me.oid
                OR (
                    NOT me.rolsuper
                    AND (
                        o.oid = here.datdba
                        OR (
                            pg_catalog.pg_has_role(me.oid, o.oid, 'USAGE') AND o.rolname !~ '^pg_'
                            AND o.rolname NOT IN (
                                'lockscope_reader', 'lockscope_operator', 'lockscope_admin', 'lockscope_history_writer',
                                'lockscope_history_reader'
                            )
                        )
                    )
                )
            )
    );

-- name: closure
-- What runs with our rights when rows of these tables are read (planned, too) or, where roots.changes, locked, changed or
-- deleted, and does not belong to somebody trusted: the closure over all that pg_depend and the catalogue's own columns refer
-- to. It ends in what initdb has pinned (of which pg_depend has no rows), in objects below 16384, whose owner counts as well, and
-- in what has no code. What can't be classified is a fault. The statement around it has trusted (oid) and roots (oid, changes).
-- is_chosen: somebody who is not trusted chose that it runs, and on what: it is reached from a table of his, or by a trigger of a
-- table on which he may put triggers. He needed no right to a function that he names in a constraint or an index, so there even
-- functions of those we trust are faults. Not chosen is what classes of operators do, also for foreign keys, and base types: they
-- are made to compare and print whatever there is, and only superusers make them.
-- One row a fault: the root, the object (classid, objid), its owner, what it is referred to by, and is_chosen; in words: what, by
-- what it is referred to, whose, what is wrong.
WITH RECURSIVE node (root, changes, is_chosen, classid, objid, by_class, by_object, by_column) AS (
    SELECT
        r.oid,
        r.changes,
        false,
        'pg_catalog.pg_class'::pg_catalog.regclass::oid,
        r.oid,
        0::oid,
        0::oid,
        0
    FROM roots AS r
    UNION
    SELECT
        n.root,
        n.changes,
        s.is_chosen AND CASE e.classid
            WHEN 'pg_catalog.pg_opclass'::pg_catalog.regclass THEN false
            WHEN 'pg_catalog.pg_opfamily'::pg_catalog.regclass THEN false
            WHEN 'pg_catalog.pg_attrdef'::pg_catalog.regclass THEN e.objid IN (SELECT f.oid FROM filled AS f)
            WHEN 'pg_catalog.pg_operator'::pg_catalog.regclass THEN NOT EXISTS (
                SELECT FROM pg_catalog.pg_constraint AS k
                WHERE n.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass AND k.oid = n.objid AND k.contype = 'f'
            )
            WHEN 'pg_catalog.pg_proc'::pg_catalog.regclass THEN NOT EXISTS (
                SELECT FROM pg_catalog.pg_type AS y
                WHERE n.classid = 'pg_catalog.pg_type'::pg_catalog.regclass AND y.oid = n.objid AND y.typtype = 'b'
            ) AND NOT EXISTS (
                -- The trigger function that the table's owner made for this schema: all that is left to choose is when it runs.
                SELECT FROM pg_catalog.pg_trigger AS g
                INNER JOIN pg_catalog.pg_class AS c ON g.tgrelid = c.oid
                INNER JOIN pg_catalog.pg_proc AS f ON g.tgfoid = f.oid
                WHERE
                    n.classid = 'pg_catalog.pg_trigger'::pg_catalog.regclass AND g.oid = n.objid AND g.tgfoid = e.objid
                    AND f.proowner = c.relowner AND f.pronamespace = c.relnamespace
            )
            ELSE true
        END,
        e.classid,
        e.objid,
        n.classid,
        n.objid,
        e.by_column
    FROM node AS n
    CROSS JOIN LATERAL (
        SELECT
            CASE n.classid
                WHEN 'pg_catalog.pg_class'::pg_catalog.regclass THEN coalesce(
                    (
                        SELECT c.relowner NOT IN (SELECT t.oid FROM trusted AS t)
                        FROM pg_catalog.pg_class AS c
                        WHERE c.oid = n.objid AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
                    ), n.is_chosen
                )
                WHEN 'pg_catalog.pg_trigger'::pg_catalog.regclass THEN n.is_chosen OR EXISTS (
                    SELECT FROM pg_catalog.pg_trigger AS g
                    INNER JOIN pg_catalog.pg_class AS c ON g.tgrelid = c.oid
                    CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) AS a
                    WHERE
                        g.oid = n.objid AND NOT g.tgisinternal AND a.privilege_type = 'TRIGGER' AND a.grantee <> c.relowner
                        AND a.grantee NOT IN (SELECT t.oid FROM trusted AS t)
                )
                ELSE n.is_chosen
            END AS is_chosen
    ) AS s
    CROSS JOIN LATERAL (
        -- What it refers to. A part leads to no whole, which would be here already; schemas and extensions run nothing.
        SELECT
            CASE WHEN d.deptype IN ('n', 'a', 'i', 'e', 'x', 'P', 'S') THEN d.refclassid ELSE 0 END AS classid,
            d.refobjid AS objid,
            d.objsubid AS by_column
        FROM pg_catalog.pg_depend AS d
        WHERE
            n.objid >= 16384 AND d.classid = n.classid AND d.objid = n.objid
            AND d.refclassid NOT IN (
                'pg_catalog.pg_namespace'::pg_catalog.regclass, 'pg_catalog.pg_extension'::pg_catalog.regclass
            )
            AND NOT (d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.deptype IN ('a', 'i', 'P', 'S'))
            AND NOT (d.refclassid = n.by_class AND d.refobjid = n.by_object)
        UNION ALL
        SELECT
            p.classid,
            p.objid,
            0
        FROM (
            SELECT
                'pg_catalog.pg_class'::pg_catalog.regclass::oid AS classid,
                i.indexrelid AS objid
            FROM pg_catalog.pg_index AS i
            WHERE
                i.indrelid = n.objid
                AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL OR i.indclass::text ~ '[0-9]{5}' OR i.indisexclusion)
            UNION ALL
            SELECT
                'pg_catalog.pg_constraint'::pg_catalog.regclass,
                k.oid
            FROM pg_catalog.pg_constraint AS k
            WHERE k.conrelid = n.objid AND k.contype NOT IN ('p', 'u', 'n') AND (n.changes OR k.contype NOT IN ('f', 't'))
            UNION ALL
            SELECT
                'pg_catalog.pg_attrdef'::pg_catalog.regclass,
                f.oid
            FROM pg_catalog.pg_attrdef AS f
            INNER JOIN pg_catalog.pg_attribute AS a ON f.adrelid = a.attrelid AND f.adnum = a.attnum
            WHERE f.adrelid = n.objid AND (n.changes OR a.attgenerated <> '')
            UNION ALL
            SELECT
                'pg_catalog.pg_statistic_ext'::pg_catalog.regclass,
                s.oid
            FROM pg_catalog.pg_statistic_ext AS s
            WHERE s.stxrelid = n.objid
            UNION ALL
            SELECT
                'pg_catalog.pg_rewrite'::pg_catalog.regclass,
                w.oid
            FROM pg_catalog.pg_rewrite AS w
            WHERE w.ev_class = n.objid AND (n.changes OR w.ev_type = '1')
            UNION ALL
            SELECT
                'pg_catalog.pg_policy'::pg_catalog.regclass,
                y.oid
            FROM pg_catalog.pg_policy AS y
            INNER JOIN pg_catalog.pg_class AS c ON y.polrelid = c.oid
            WHERE y.polrelid = n.objid AND c.relrowsecurity
            UNION ALL
            SELECT
                'pg_catalog.pg_trigger'::pg_catalog.regclass,
                g.oid
            FROM pg_catalog.pg_trigger AS g
            WHERE n.changes AND g.tgrelid = n.objid AND g.tgenabled <> 'D'
            UNION ALL
            -- Rows that refer to it are looked up, and may change with it.
            SELECT
                'pg_catalog.pg_class'::pg_catalog.regclass,
                k.conrelid
            FROM foreign_key AS k
            WHERE n.changes AND k.confrelid = n.objid
            UNION ALL
            -- Up the tree, since the expressions of a table check its partitions, and down, but from above not down again.
            SELECT
                'pg_catalog.pg_class'::pg_catalog.regclass,
                h.inhparent
            FROM pg_catalog.pg_inherits AS h
            WHERE h.inhrelid = n.objid AND h.inhparent <> n.by_object
            UNION ALL
            SELECT
                'pg_catalog.pg_class'::pg_catalog.regclass,
                h.inhrelid
            FROM pg_catalog.pg_inherits AS h
            WHERE
                h.inhparent = n.objid
                AND NOT EXISTS (
                    SELECT
                    FROM pg_catalog.pg_inherits AS u
                    WHERE u.inhrelid = n.by_object AND u.inhparent = n.objid
                )
        ) AS p
        WHERE n.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND n.objid >= 16384
        UNION ALL
        SELECT
            p.classid,
            p.objid,
            0
        FROM (
            SELECT
                'pg_catalog.pg_class'::pg_catalog.regclass::oid AS classid,
                t.typrelid AS objid
            FROM pg_catalog.pg_type AS t
            WHERE t.oid = n.objid AND t.typrelid <> 0
            UNION ALL
            SELECT
                'pg_catalog.pg_constraint'::pg_catalog.regclass,
                k.oid
            FROM pg_catalog.pg_constraint AS k
            WHERE k.contypid = n.objid
            UNION ALL
            -- By which it becomes text, JSON and the like, is compared with a key that refers to it, and takes a new value.
            SELECT
                'pg_catalog.pg_proc'::pg_catalog.regclass,
                c.castfunc
            FROM pg_catalog.pg_cast AS c
            WHERE n.objid IN (c.castsource, c.casttarget) AND c.castfunc <> 0
        ) AS p
        WHERE n.classid = 'pg_catalog.pg_type'::pg_catalog.regclass AND n.objid >= 16384
        UNION ALL
        SELECT
            p.classid,
            p.objid,
            0
        FROM (
            -- Which a planner may take instead.
            SELECT
                'pg_catalog.pg_operator'::pg_catalog.regclass::oid AS classid,
                u.objid
            FROM pg_catalog.pg_operator AS o
            CROSS JOIN LATERAL (VALUES (o.oprcom), (o.oprnegate)) AS u (objid)
            WHERE n.classid = 'pg_catalog.pg_operator'::pg_catalog.regclass AND o.oid = n.objid AND u.objid <> 0
            UNION ALL
            SELECT
                'pg_catalog.pg_opfamily'::pg_catalog.regclass,
                c.opcfamily
            FROM pg_catalog.pg_opclass AS c
            WHERE n.classid = 'pg_catalog.pg_opclass'::pg_catalog.regclass AND c.oid = n.objid
            UNION ALL
            SELECT
                'pg_catalog.pg_amop'::pg_catalog.regclass,
                m.oid
            FROM pg_catalog.pg_amop AS m
            WHERE n.classid = 'pg_catalog.pg_opfamily'::pg_catalog.regclass AND m.amopfamily = n.objid AND m.oid >= 16384
            UNION ALL
            SELECT
                'pg_catalog.pg_amproc'::pg_catalog.regclass,
                m.oid
            FROM pg_catalog.pg_amproc AS m
            WHERE n.classid = 'pg_catalog.pg_opfamily'::pg_catalog.regclass AND m.amprocfamily = n.objid AND m.oid >= 16384
        ) AS p
        WHERE n.classid IN (
            'pg_catalog.pg_operator'::pg_catalog.regclass, 'pg_catalog.pg_opclass'::pg_catalog.regclass,
            'pg_catalog.pg_opfamily'::pg_catalog.regclass
        )
    ) AS e
),

foreign_key AS MATERIALIZED (
    SELECT
        k.conrelid,
        k.confrelid
    FROM pg_catalog.pg_constraint AS k
    WHERE k.contype = 'f'
),

-- The defaults that are worked out when a row changes: of generated columns, and of foreign keys that set them.
filled AS MATERIALIZED (
    SELECT f.oid
    FROM pg_catalog.pg_attrdef AS f
    INNER JOIN pg_catalog.pg_attribute AS a ON f.adrelid = a.attrelid AND f.adnum = a.attnum
    WHERE
        a.attgenerated <> ''
        OR EXISTS (
            SELECT FROM pg_catalog.pg_constraint AS k
            WHERE k.contype = 'f' AND k.conrelid = f.adrelid AND 'd' IN (k.confupdtype, k.confdeltype)
        )
),

-- Each with its owner; 0: none but that of what it is part of; NULL: of a kind that is not known here.
judged AS MATERIALIZED (
    SELECT
        n.root,
        n.changes,
        n.is_chosen,
        n.classid,
        n.objid,
        n.by_class,
        n.by_object,
        n.by_column,
        CASE n.classid
            WHEN 'pg_catalog.pg_class'::pg_catalog.regclass THEN (
                -- Of indexes, sequences and TOAST nothing runs but what they refer to.
                SELECT CASE WHEN c.relkind IN ('i', 'I', 'S', 't') THEN 0 ELSE c.relowner END
                FROM pg_catalog.pg_class AS c
                WHERE c.oid = n.objid AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'c', 'i', 'I', 'S', 't')
            )
            WHEN 'pg_catalog.pg_proc'::pg_catalog.regclass
                THEN (SELECT o.proowner FROM pg_catalog.pg_proc AS o WHERE o.oid = n.objid)
            WHEN 'pg_catalog.pg_type'::pg_catalog.regclass
                THEN (SELECT o.typowner FROM pg_catalog.pg_type AS o WHERE o.oid = n.objid)
            WHEN 'pg_catalog.pg_operator'::pg_catalog.regclass
                THEN (SELECT o.oprowner FROM pg_catalog.pg_operator AS o WHERE o.oid = n.objid)
            WHEN 'pg_catalog.pg_opclass'::pg_catalog.regclass
                THEN (SELECT o.opcowner FROM pg_catalog.pg_opclass AS o WHERE o.oid = n.objid)
            WHEN 'pg_catalog.pg_opfamily'::pg_catalog.regclass
                THEN (SELECT o.opfowner FROM pg_catalog.pg_opfamily AS o WHERE o.oid = n.objid)
            WHEN 'pg_catalog.pg_collation'::pg_catalog.regclass
                THEN (SELECT o.collowner FROM pg_catalog.pg_collation AS o WHERE o.oid = n.objid)
            WHEN 'pg_catalog.pg_language'::pg_catalog.regclass
                THEN (SELECT o.lanowner FROM pg_catalog.pg_language AS o WHERE o.oid = n.objid)
            WHEN 'pg_catalog.pg_statistic_ext'::pg_catalog.regclass THEN 0
            WHEN 'pg_catalog.pg_foreign_server'::pg_catalog.regclass
                THEN (SELECT o.srvowner FROM pg_catalog.pg_foreign_server AS o WHERE o.oid = n.objid)
            WHEN 'pg_catalog.pg_foreign_data_wrapper'::pg_catalog.regclass
                THEN (SELECT o.fdwowner FROM pg_catalog.pg_foreign_data_wrapper AS o WHERE o.oid = n.objid)
            WHEN 'pg_catalog.pg_ts_config'::pg_catalog.regclass
                THEN (SELECT o.cfgowner FROM pg_catalog.pg_ts_config AS o WHERE o.oid = n.objid)
            WHEN 'pg_catalog.pg_ts_dict'::pg_catalog.regclass
                THEN (SELECT o.dictowner FROM pg_catalog.pg_ts_dict AS o WHERE o.oid = n.objid)
            -- These belong to what they are parts of, or are made by superusers alone.
            WHEN 'pg_catalog.pg_constraint'::pg_catalog.regclass THEN 0
            WHEN 'pg_catalog.pg_attrdef'::pg_catalog.regclass THEN 0
            WHEN 'pg_catalog.pg_trigger'::pg_catalog.regclass THEN 0
            WHEN 'pg_catalog.pg_rewrite'::pg_catalog.regclass THEN 0
            WHEN 'pg_catalog.pg_policy'::pg_catalog.regclass THEN 0
            WHEN 'pg_catalog.pg_transform'::pg_catalog.regclass THEN 0
            WHEN 'pg_catalog.pg_am'::pg_catalog.regclass THEN 0
            WHEN 'pg_catalog.pg_amop'::pg_catalog.regclass THEN 0
            WHEN 'pg_catalog.pg_amproc'::pg_catalog.regclass THEN 0
            WHEN 'pg_catalog.pg_ts_parser'::pg_catalog.regclass THEN 0
            WHEN 'pg_catalog.pg_ts_template'::pg_catalog.regclass THEN 0
        END AS owner
    FROM node AS n
),

-- A trigger is anybody's who had the right TRIGGER; the rest is its table's owner's.
planted AS MATERIALIZED (
    SELECT
        j.root,
        j.classid,
        j.objid,
        j.by_class,
        j.by_object,
        j.by_column,
        c.relowner AS owner,
        c.relowner NOT IN (SELECT t.oid FROM trusted AS t) AS is_strangers,
        x.is_ours,
        x.expression,
        x.expressions
    FROM judged AS j
    CROSS JOIN LATERAL (
        SELECT
            g.tgrelid AS relation,
            g.tgisinternal AS is_ours,
            g.tgqual AS expression,
            NULL::text AS expressions
        FROM pg_catalog.pg_trigger AS g
        WHERE j.classid = 'pg_catalog.pg_trigger'::pg_catalog.regclass AND g.oid = j.objid
        UNION ALL
        SELECT
            w.ev_class,
            false,
            NULL,
            NULL
        FROM pg_catalog.pg_rewrite AS w
        WHERE j.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND w.oid = j.objid
        UNION ALL
        SELECT
            y.polrelid,
            false,
            NULL,
            NULL
        FROM pg_catalog.pg_policy AS y
        WHERE j.classid = 'pg_catalog.pg_policy'::pg_catalog.regclass AND y.oid = j.objid
        UNION ALL
        SELECT
            k.conrelid,
            true,
            k.conbin,
            NULL
        FROM pg_catalog.pg_constraint AS k
        WHERE j.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass AND k.oid = j.objid
        UNION ALL
        SELECT
            d.adrelid,
            true,
            d.adbin,
            NULL
        FROM pg_catalog.pg_attrdef AS d
        INNER JOIN filled AS f ON d.oid = f.oid
        WHERE j.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass AND d.oid = j.objid
        UNION ALL
        SELECT
            s.stxrelid,
            true,
            NULL,
            pg_catalog.to_jsonb(s) ->> 'stxexprs' -- from version 14 on
        FROM pg_catalog.pg_statistic_ext AS s
        WHERE j.classid = 'pg_catalog.pg_statistic_ext'::pg_catalog.regclass AND s.oid = j.objid
    ) AS x
    INNER JOIN pg_catalog.pg_class AS c ON x.relation = c.oid
    WHERE
        j.classid IN (
            'pg_catalog.pg_trigger'::pg_catalog.regclass, 'pg_catalog.pg_rewrite'::pg_catalog.regclass,
            'pg_catalog.pg_policy'::pg_catalog.regclass, 'pg_catalog.pg_constraint'::pg_catalog.regclass,
            'pg_catalog.pg_attrdef'::pg_catalog.regclass, 'pg_catalog.pg_statistic_ext'::pg_catalog.regclass
        )
)

SELECT
    f.root,
    f.classid,
    f.objid,
    f.owner,
    f.by_class,
    f.by_object,
    f.is_chosen,
    CASE
        WHEN f.owner IS NULL THEN 'object ' || f.objid || ' of the catalogue ' || f.classid::pg_catalog.regclass::text
        ELSE pg_catalog.pg_describe_object(f.classid, f.objid, 0)
    END || CASE
        WHEN f.by_class = 0 THEN ''
        ELSE coalesce(' (' || pg_catalog.pg_describe_object(f.by_class, f.by_object, f.by_column) || ')', '')
    END AS what,
    CASE WHEN f.owner = 0 THEN 'PUBLIC' ELSE coalesce(pg_catalog.pg_get_userbyid(f.owner)::text, 'nobody') END AS whose,
    f.fault
FROM (
    SELECT
        j.root,
        j.classid,
        j.objid,
        j.by_class,
        j.by_object,
        j.by_column,
        j.owner,
        j.is_chosen,
        CASE
            WHEN j.owner IS NULL THEN 'it is of a kind that is not known here'
            WHEN j.owner IN (SELECT t.oid FROM trusted AS t) THEN 'whoever made this may have it do more than he could'
            WHEN j.classid = 'pg_catalog.pg_class'::pg_catalog.regclass THEN 'its owner is neither you nor a role that you trust'
            ELSE 'it would run with your rights'
        END AS fault
    FROM judged AS j
    WHERE
        j.owner IS NULL
        OR (j.owner <> 0 AND j.owner NOT IN (SELECT t.oid FROM trusted AS t))
        OR (j.is_chosen AND j.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND j.objid >= 16384)
    UNION ALL
    -- Whatever a stranger's table does by itself may be more than he could do: it would be done with our rights.
    SELECT
        p.root,
        p.classid,
        p.objid,
        p.by_class,
        p.by_object,
        p.by_column,
        p.owner,
        false,
        'it would run with your rights'
    FROM planted AS p
    WHERE p.is_strangers AND NOT p.is_ours
    UNION ALL
    -- Functions of the system that run a text, look up a type by its name, or write: only those are let pass that can't.
    SELECT
        p.root,
        'pg_catalog.pg_proc'::pg_catalog.regclass,
        f.oid,
        p.classid,
        p.objid,
        0,
        p.owner,
        false,
        'whoever made this may have it do more than he could'
    FROM planted AS p
    CROSS JOIN LATERAL pg_catalog.regexp_matches(
        coalesce(p.expression::text, p.expressions), ':(?:funcid|aggfnoid|winfnoid) ([0-9]+)', 'g'
    ) AS m (number)
    INNER JOIN pg_catalog.pg_proc AS f ON m.number[1]::oid = f.oid
    WHERE
        (p.is_strangers OR p.classid = 'pg_catalog.pg_trigger'::pg_catalog.regclass)
        AND f.oid < 16384 AND f.provolatile <> 'i'
        AND f.proname NOT IN (
            'now', 'transaction_timestamp', 'statement_timestamp', 'clock_timestamp', 'timezone', 'date_trunc', 'date_part', 'extract',
            'age', 'to_char', 'date', 'timestamp', 'timestamptz', 'time', 'timetz', 'concat', 'concat_ws', 'format', 'to_json',
            'to_jsonb', 'array_to_string', 'current_setting', 'pg_trigger_depth', 'pg_backend_pid', 'txid_current', 'text'
        )
    UNION ALL
    -- A holder of the right TRIGGER chose the condition and the arguments, and needed no right to what they name: a function that
    -- does more than compute, though of somebody trusted, and one whose arguments may be a statement. Who made a trigger, nothing
    -- tells: rights are taken back, and lost with a dump, and tables change their owner. Those of the system take no statement.
    SELECT
        p.root,
        'pg_catalog.pg_proc'::pg_catalog.regclass,
        f.oid,
        p.classid,
        p.objid,
        0,
        p.owner,
        false,
        'whoever made this may have it do more than he could'
    FROM planted AS p
    INNER JOIN pg_catalog.pg_trigger AS g ON p.objid = g.oid
    INNER JOIN pg_catalog.pg_depend AS d ON d.classid = p.classid AND d.objid = p.objid
    LEFT OUTER JOIN pg_catalog.pg_operator AS o
        ON d.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass AND d.refobjid = o.oid
    INNER JOIN pg_catalog.pg_proc AS f
        ON f.oid = CASE WHEN d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass THEN d.refobjid ELSE o.oprcode END
    WHERE
        p.classid = 'pg_catalog.pg_trigger'::pg_catalog.regclass AND NOT p.is_ours
        AND CASE
            WHEN f.oid <> g.tgfoid THEN f.provolatile <> 'i'
            ELSE g.tgnargs > 0 AND f.oid >= 16384
        END
    UNION ALL
    -- These tables are not locked: what is put on them meanwhile is not seen.
    SELECT
        j.root,
        j.classid,
        j.objid,
        j.by_class,
        j.by_object,
        j.by_column,
        a.grantee,
        false,
        'this role may put triggers on it'
    FROM judged AS j
    INNER JOIN pg_catalog.pg_class AS c ON j.objid = c.oid
    CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) AS a
    WHERE
        j.changes AND j.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND j.objid <> j.root AND c.relkind IN ('r', 'p')
        AND a.privilege_type = 'TRIGGER' AND a.grantee <> c.relowner AND a.grantee NOT IN (SELECT t.oid FROM trusted AS t)
    UNION ALL
    -- Somebody was given what is the system's.
    SELECT
        r.oid,
        g.classid,
        g.objid,
        0,
        0,
        0,
        g.owner,
        false,
        'it is an object of the system that was given away'
    FROM roots AS r
    CROSS JOIN (
        SELECT
            'pg_catalog.pg_class'::pg_catalog.regclass::oid AS classid,
            c.oid AS objid,
            c.relowner AS owner
        FROM pg_catalog.pg_class AS c
        UNION ALL
        SELECT
            'pg_catalog.pg_proc'::pg_catalog.regclass,
            f.oid,
            f.proowner
        FROM pg_catalog.pg_proc AS f
        UNION ALL
        SELECT
            'pg_catalog.pg_type'::pg_catalog.regclass,
            y.oid,
            y.typowner
        FROM pg_catalog.pg_type AS y
        UNION ALL
        SELECT
            'pg_catalog.pg_operator'::pg_catalog.regclass,
            o.oid,
            o.oprowner
        FROM pg_catalog.pg_operator AS o
    ) AS g
    WHERE g.objid < 16384 AND g.owner NOT IN (SELECT t.oid FROM trusted AS t)
) AS f;

-- name: event_triggers
-- Which event triggers call a function of somebody whom we don't trust: anyone who makes, changes or drops an object would run it.
-- {trusted}: trust/owners.
SELECT
    e.evtname::text,
    e.evtfoid::pg_catalog.regprocedure::text,
    pg_catalog.pg_get_userbyid(p.proowner)::text
FROM pg_catalog.pg_event_trigger AS e
INNER JOIN pg_catalog.pg_proc AS p ON e.evtfoid = p.oid
WHERE e.evtenabled <> 'D' AND p.proowner NOT IN (SELECT t.oid FROM ({trusted}) AS t)
ORDER BY e.evtname;

-- name: gifts
-- Whether somebody whom we don't trust was given an object of the system: a row for each. As the last part of `closure` has it,
-- for those who ask that before they ask more.
SELECT c.oid
FROM pg_catalog.pg_class AS c
WHERE c.oid < 16384 AND c.relowner NOT IN (SELECT t.oid FROM trusted AS t)
UNION ALL
SELECT f.oid
FROM pg_catalog.pg_proc AS f
WHERE f.oid < 16384 AND f.proowner NOT IN (SELECT t.oid FROM trusted AS t)
UNION ALL
SELECT y.oid
FROM pg_catalog.pg_type AS y
WHERE y.oid < 16384 AND y.typowner NOT IN (SELECT t.oid FROM trusted AS t)
UNION ALL
SELECT o.oid
FROM pg_catalog.pg_operator AS o
WHERE o.oid < 16384 AND o.oprowner NOT IN (SELECT t.oid FROM trusted AS t);
