-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Lockscope's own schema, version 1. Idempotent: run it as often as you like. It refuses a schema of another version.
-- Times are the server's clock. Any program may use these tables; see "Locks from any language" in the manual.
-- Run it as one transaction (psql -1 -f): then two that install at once take turns, and a refusal leaves nothing behind.
-- Nothing here is looked up in a schema that others may create objects in. A function that is marked SECURITY DEFINER runs
-- with the rights of the schema's owner, so that who uses the locks needs no right on what keeps them in order.
SET LOCAL search_path = pg_catalog, pg_temp;
SET LOCAL lock_timeout = '60s';
SET LOCAL client_min_messages = 'warning';
SET LOCAL jit = off;
-- Roles of the names below that were there before and are to be used although they look like somebody else's: write them here,
-- with a space between. Their members may do here what the role may.
DO $$
BEGIN
    PERFORM set_config('lockscope.adopted_roles', '', true);
END $$;

-- Two that install at once take turns. Anybody can take this lock, and keep it: nobody waits long for it. Two that meet then
-- are told apart by the tables' own locks, or one of them fails with nothing left behind.
DO $$
BEGIN
    FOR attempt IN 1..50 LOOP
        EXIT WHEN pg_try_advisory_xact_lock(1282368363, 0);
        PERFORM pg_sleep(0.1);
    END LOOP;
END $$;

-- Adopts nothing that somebody else made: the owner of a function or table in the schema, or of what these lead to, would
-- act with the rights of everybody who uses them. schema/check asks the same on behalf of a connection.
DO $$
DECLARE
    faults text;
BEGIN
    SELECT string_agg(f.fault, '; ' ORDER BY f.fault) INTO faults
    FROM (
        -- As schema/postgres/trust.sql has it; tst_TrustRule compares both.
        WITH trusted AS MATERIALIZED (
            -- trust/owners: begins
            SELECT r.oid
            FROM pg_catalog.pg_roles AS r
            CROSS JOIN (SELECT d.datdba FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database()) AS here
            INNER JOIN pg_catalog.pg_roles AS o
                ON o.oid = CASE WHEN r.rolname = 'pg_database_owner' THEN here.datdba ELSE r.oid END
            WHERE
                o.rolsuper OR o.rolname = ''::text
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
                )
            -- trust/owners: ends
        ),

        roots AS MATERIALIZED (
            SELECT
                c.oid,
                true AS changes
            FROM pg_catalog.pg_class AS c
            INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
            WHERE n.nspname = 'lockscope' AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
        )

        SELECT format('the schema belongs to %s', pg_get_userbyid(n.nspowner)) AS fault
        FROM pg_catalog.pg_namespace AS n
        WHERE n.nspname = 'lockscope' AND n.nspowner NOT IN (SELECT t.oid FROM trusted AS t)
        UNION ALL
        SELECT format('event trigger %s calls %s, of %s', e.evtname, e.evtfoid::regprocedure, pg_get_userbyid(p.proowner))
        FROM pg_catalog.pg_event_trigger AS e INNER JOIN pg_catalog.pg_proc AS p ON p.oid = e.evtfoid
        WHERE e.evtenabled <> 'D' AND p.proowner NOT IN (SELECT t.oid FROM trusted AS t)
        UNION ALL
        SELECT DISTINCT format('%s (%s): %s', r.what, r.whose, r.fault)
        FROM (
            -- trust/closure: begins
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
            ) AS f
            -- trust/closure: ends
        ) AS r
        UNION ALL
        SELECT format('%s belongs to %s', pg_describe_object(d.classid, d.objid, 0), coalesce(r.rolname, 'nobody'))
        FROM (
            SELECT 'pg_catalog.pg_class'::regclass AS classid, c.oid AS objid, c.relnamespace AS namespace, c.relowner AS owner
            FROM pg_catalog.pg_class AS c WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f', 'c')
            UNION ALL
            SELECT 'pg_catalog.pg_proc'::regclass, p.oid, p.pronamespace, p.proowner FROM pg_catalog.pg_proc AS p
            UNION ALL
            SELECT 'pg_catalog.pg_type'::regclass, t.oid, t.typnamespace, t.typowner FROM pg_catalog.pg_type AS t
            WHERE t.typtype IN ('d', 'e', 'r', 'b') AND t.typelem = 0
            UNION ALL
            SELECT 'pg_catalog.pg_operator'::regclass, o.oid, o.oprnamespace, o.oprowner FROM pg_catalog.pg_operator AS o
        ) AS d
        INNER JOIN pg_catalog.pg_namespace AS n ON n.oid = d.namespace AND n.nspname = 'lockscope'
        LEFT JOIN pg_catalog.pg_roles AS r ON r.oid = d.owner
        WHERE d.owner <> n.nspowner
        UNION ALL
        SELECT format('a trigger on %s calls %s', t.tgrelid::regclass, t.tgfoid::regprocedure)
        FROM pg_catalog.pg_trigger AS t
        INNER JOIN pg_catalog.pg_class AS c ON c.oid = t.tgrelid
        INNER JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname = 'lockscope'
        INNER JOIN pg_catalog.pg_proc AS p ON p.oid = t.tgfoid
        WHERE NOT t.tgisinternal AND (p.pronamespace <> n.oid OR p.proowner <> n.nspowner)
        UNION ALL
        SELECT format('%s has rules or row security', c.oid::regclass)
        FROM pg_catalog.pg_class AS c
        INNER JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname = 'lockscope'
        WHERE c.relkind = 'r'
            AND (c.relrowsecurity OR EXISTS (SELECT FROM pg_catalog.pg_rewrite AS w WHERE w.ev_class = c.oid))
        UNION ALL
        SELECT 'it has objects, but not those of Lockscope'
        WHERE to_regclass('lockscope.schema_version') IS NULL
            AND EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.relnamespace = to_regnamespace('lockscope'))
    ) AS f;
    IF faults IS NOT NULL THEN
        RAISE EXCEPTION 'The schema lockscope is not what Lockscope made: %', faults
            USING ERRCODE = 'insufficient_privilege',
            HINT = 'Nothing was changed. Find out who made it and why; remove it or give it another name, then install again.';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'lockscope') THEN
        CREATE SCHEMA lockscope;
    END IF;
END $$;

-- Default privileges may have taken the owner's own rights away. The last part of this script sets exactly those that stay.
DO $$
BEGIN
    IF EXISTS (
        SELECT FROM pg_catalog.pg_namespace AS n
        WHERE n.nspname = 'lockscope' AND n.nspacl IS NOT NULL
            AND (SELECT count(*) FROM aclexplode(n.nspacl) AS a WHERE a.grantee = n.nspowner) < 2
    ) THEN
        GRANT ALL ON SCHEMA lockscope TO CURRENT_USER;
    END IF;
END $$;

-- Nothing is changed in a schema of another version: who knows that one must say what becomes of it.
DO $$
DECLARE
    found text;
BEGIN
    IF to_regclass('lockscope.schema_version') IS NOT NULL THEN
        SELECT string_agg(left(v.version::text, 40), ', ') INTO found FROM lockscope.schema_version AS v;
        IF found IS DISTINCT FROM '1' THEN
            RAISE EXCEPTION 'The schema lockscope has version %, and this script installs version 1', coalesce(found, 'none')
                USING ERRCODE = 'feature_not_supported', HINT = 'Nothing was changed. Use the program that installed it.';
        END IF;
    END IF;
END $$;

CREATE TABLE IF NOT EXISTS lockscope.schema_version (
    version integer PRIMARY KEY,
    installed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Drawn by every grant, so that a protected resource can refuse the late write of a former holder.
CREATE SEQUENCE IF NOT EXISTS lockscope.fencing;

-- A row is a lock. Acquire = insert; a unique violation means that somebody else has it, or that others wait for it in the
-- queue. Release = delete with the token. The trigger below sets fencing and login, whatever an insert says; a row without a
-- number is no lock, even while the triggers are disabled. Readers see the beginning of the token only. The bounds of times and
-- texts are those that every program can show and reckon with: an endless lease would never be purged.
CREATE TABLE IF NOT EXISTS lockscope.lock_entry (
    name text COLLATE "C" PRIMARY KEY CHECK (char_length(name) BETWEEN 1 AND 255),
    token text NOT NULL,
    fencing bigint NOT NULL DEFAULT 0,
    acquired_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL,
    owner text NOT NULL DEFAULT session_user,
    host text NOT NULL DEFAULT '',
    program text NOT NULL DEFAULT '',
    process_id bigint NOT NULL DEFAULT 0,
    session_id integer NOT NULL DEFAULT pg_backend_pid(),
    login name NOT NULL DEFAULT session_user,
    token_start text NOT NULL GENERATED ALWAYS AS (left(token, 4) || '...') STORED,
    CONSTRAINT lock_entry_numbered CHECK (fencing > 0),
    CONSTRAINT lock_entry_times CHECK (
        acquired_at >= '1970-01-01 00:00:00+00' AND expires_at >= '1970-01-01 00:00:00+00'
        AND acquired_at < '9999-01-01 00:00:00+00' AND expires_at < '9999-01-01 00:00:00+00'),
    CONSTRAINT lock_entry_texts CHECK (
        char_length(token) <= 1000 AND char_length(owner) <= 1000 AND char_length(host) <= 1000 AND char_length(program) <= 1000)
);

-- The visible queue: who waits for a name, since when, in the order of the tickets, and with which token it will take it. A waiter
-- renews its row while it waits.
CREATE TABLE IF NOT EXISTS lockscope.lock_waiter (
    ticket bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
    registered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL,
    owner text NOT NULL DEFAULT session_user,
    host text NOT NULL DEFAULT '',
    program text NOT NULL DEFAULT '',
    process_id bigint NOT NULL DEFAULT 0,
    session_id integer NOT NULL DEFAULT pg_backend_pid(),
    token text NOT NULL DEFAULT '',
    CONSTRAINT lock_waiter_times CHECK (
        registered_at >= '1970-01-01 00:00:00+00' AND expires_at >= '1970-01-01 00:00:00+00'
        AND registered_at < '9999-01-01 00:00:00+00' AND expires_at < '9999-01-01 00:00:00+00'),
    CONSTRAINT lock_waiter_texts CHECK (
        char_length(token) <= 1000 AND char_length(owner) <= 1000 AND char_length(host) <= 1000 AND char_length(program) <= 1000)
);

CREATE INDEX IF NOT EXISTS lock_waiter_queue ON lockscope.lock_waiter (name, ticket);

-- Advisory locks are numbers; this keeps the names readable: key = hashtextextended(name, 0).
CREATE TABLE IF NOT EXISTS lockscope.app_lock_name (
    key bigint PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    first_used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT app_lock_name_key CHECK (key = hashtextextended(name, 0))
);

-- Every dangerous act: who (the login), from where, what, why, the state before, the outcome. Written by the functions and
-- triggers below alone. fencing: of the entry that the act ended. seen_by_server: it saw itself what `before` tells, and nobody
-- has the last word on that.
CREATE TABLE IF NOT EXISTS lockscope.audit_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    who text NOT NULL,
    origin text NOT NULL,
    act text NOT NULL,
    target text NOT NULL,
    reason text NOT NULL,
    before jsonb NOT NULL,
    outcome text NOT NULL,
    fencing bigint,
    seen_by_server boolean NOT NULL DEFAULT false
);

CREATE INDEX IF NOT EXISTS audit_log_fencing ON lockscope.audit_log (fencing) WHERE fencing IS NOT NULL;

-- One row a key: who locks the row (SELECT … FOR UPDATE) in his transaction has the key. Rows stay.
CREATE TABLE IF NOT EXISTS lockscope.surrogate_key (
    key text COLLATE "C" PRIMARY KEY CHECK (char_length(key) BETWEEN 1 AND 255)
);

-- The guard of a name: a session that decides about the name locks this row up to the end of its transaction. Only the
-- functions below do; nobody else has a right on it. purge_stale() removes the rows of names that nobody uses.
CREATE TABLE IF NOT EXISTS lockscope.lock_name (name text COLLATE "C" PRIMARY KEY);

-- Fencing numbers are epoch * 2^40 + sequence. After a failover to a server that may lack the last commits the
-- server's timeline is another one: the epoch grows, so the numbers never go back. Timeline 0: the server does not tell it.
CREATE TABLE IF NOT EXISTS lockscope.fencing_epoch (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    timeline integer NOT NULL,
    epoch bigint NOT NULL
);

DO $$
BEGIN
    IF NOT (SELECT bool_and(has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
            AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))
        FROM pg_catalog.pg_class AS c WHERE c.relnamespace = 'lockscope'::regnamespace AND c.relkind IN ('r', 'p'))
    THEN
        GRANT ALL ON ALL TABLES IN SCHEMA lockscope TO CURRENT_USER;
        GRANT ALL ON ALL SEQUENCES IN SCHEMA lockscope TO CURRENT_USER;
    END IF;
END $$;

DO $$
DECLARE
    now_at integer := 0;
BEGIN
    BEGIN
        now_at := ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer;
    EXCEPTION WHEN OTHERS THEN
        RAISE WARNING 'This server does not tell its timeline (%): locks are not watched across a failover', SQLERRM;
    END;
    INSERT INTO lockscope.fencing_epoch (timeline, epoch) VALUES (now_at, greatest(now_at - 1, 0)) ON CONFLICT DO NOTHING;
END $$;

-- Those who wait and still can: the registration is young, its session is there. Who waits in vain is not waited for.
CREATE OR REPLACE VIEW lockscope.live_waiter AS
SELECT w.ticket, w.name, w.token, w.registered_at, w.expires_at, w.owner, w.host, w.program, w.process_id, w.session_id
FROM lockscope.lock_waiter AS w
WHERE w.expires_at > clock_timestamp() AND w.expires_at <= clock_timestamp() + interval '1 minute'
    AND EXISTS (SELECT FROM pg_stat_get_activity(w.session_id));

-- The lock protocol for programs of any language. Call these outside of a transaction of your own: a row must be visible
-- to the others at once. "SET enable_seqscan" keeps the index plan: one made while a table was empty would scan it for ever.
-- "SET lock_timeout" bounds every wait: nobody can make a caller wait for ever.

-- What a fencing number begins with here and now, times 2^40.
CREATE OR REPLACE FUNCTION lockscope.current_epoch() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known record;
    now_at integer;
BEGIN
    SELECT f.timeline, f.epoch INTO STRICT known FROM lockscope.fencing_epoch AS f WHERE f.one;
    IF known.timeline = 0 THEN
        RETURN known.epoch;
    END IF;
    now_at := ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer;
    IF now_at <> known.timeline THEN
        UPDATE lockscope.fencing_epoch AS f SET timeline = now_at, epoch = greatest(f.epoch + 1, now_at - 1)
        WHERE f.one AND f.timeline <> now_at;
        SELECT f.epoch INTO STRICT known.epoch FROM lockscope.fencing_epoch AS f WHERE f.one;
    END IF;
    RETURN known.epoch;
END $$;

-- Wakes the first live waiter: its session listens on the channel that bears its process id, the payload is its ticket.
CREATE OR REPLACE FUNCTION lockscope.wake_first_waiter(wanted text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
BEGIN
    PERFORM pg_notify('lockscope_turn_' || w.session_id, w.ticket::text)
    FROM (
        SELECT v.session_id, v.ticket FROM lockscope.live_waiter AS v
        WHERE v.name = wanted
        ORDER BY v.ticket LIMIT 1
    ) AS w;
END $$;

-- Taking away what another login holds is a forced release, however it is done: it is on record with what the server
-- knows, beside what the act says of itself, if it has said something.
CREATE OR REPLACE FUNCTION lockscope.record_loss(lost lockscope.lock_entry, how text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
    what CONSTANT text := format('lock %L held by %s on %s', lost.name, lost.owner, lost.host);
BEGIN
    IF lost.login = session_user OR lost.expires_at <= clock_timestamp() THEN
        RETURN;
    END IF;
    UPDATE lockscope.audit_log AS a
    SET before = to_jsonb(lost) - 'token', target = what, outcome = 'done', seen_by_server = true
    WHERE a.fencing = lost.fencing AND a.act = 'release lock' AND a.outcome = 'begun'
        AND a.xmin = pg_current_xact_id()::xid;
    IF NOT FOUND THEN
        INSERT INTO lockscope.audit_log (who, origin, act, target, reason, before, outcome, fencing, seen_by_server)
        VALUES (session_user, coalesce(host(inet_client_addr()), 'local') || ', ' || current_setting('application_name'),
            'release lock', what, 'none was given: ' || how, to_jsonb(lost) - 'token', 'done', lost.fencing, true);
    END IF;
END $$;

-- Up to the end of the transaction nobody else decides about the name.
CREATE OR REPLACE FUNCTION lockscope.take_guard(wanted text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
BEGIN
    LOOP
        PERFORM FROM lockscope.lock_name AS g WHERE g.name = wanted FOR UPDATE;
        EXIT WHEN FOUND;
        INSERT INTO lockscope.lock_name AS g (name) VALUES (wanted) ON CONFLICT DO NOTHING;
        EXIT WHEN FOUND;
    END LOOP;
END $$;

-- All who take a name, by function or by plain SQL, go through here: first the guard, then the queue, then the number.
-- So numbers grow in the order in which the grants become visible, and nobody overtakes a live waiter. acquire_lock inserts
-- -1 for the number, and is answered by no row where plain SQL gets a unique violation.
-- It never waits for a lock on an entry while it has the guard: who has one may want the guard.
CREATE OR REPLACE FUNCTION lockscope.lock_entry_taken() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
    by_routine boolean := false;
    is_taken boolean;
    is_first boolean;
    is_behind boolean := false;
    lease interval;
    epoch bigint;
    until timestamptz;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION
            'A lock is taken in READ COMMITTED (default_transaction_isolation): who sees an older state overtakes the queue'
            USING ERRCODE = 'invalid_transaction_state';
    END IF;
    IF TG_OP = 'UPDATE' THEN
        IF NEW.name <> OLD.name THEN
            RAISE EXCEPTION 'The name of a lock can''t be changed: release it, and take the other'
                USING ERRCODE = 'check_violation';
        END IF;
        IF NEW.token <> OLD.token OR NEW.expires_at < OLD.expires_at THEN
            PERFORM lockscope.record_loss(OLD, 'its row was changed');
        END IF;
        IF NEW.token = OLD.token THEN
            -- Of the same grant only its end may change.
            until := NEW.expires_at;
            NEW := OLD;
            NEW.expires_at := until;
            RETURN NEW;
        END IF;
    ELSE
        by_routine := NEW.fencing = -1;
    END IF;

    -- As a rule the row is there: a function call less.
    PERFORM FROM lockscope.lock_name AS g WHERE g.name = NEW.name FOR UPDATE;
    IF NOT FOUND THEN
        PERFORM lockscope.take_guard(NEW.name);
    END IF;

    -- One statement: who sleeps until it is his turn has nothing of this in his caches.
    SELECT
        CASE
            WHEN f.timeline = 0 THEN f.epoch
            WHEN f.timeline = ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer THEN f.epoch
        END,
        EXISTS (SELECT FROM lockscope.lock_entry AS e WHERE e.name = NEW.name),
        (
            SELECT w.token = NEW.token AND w.session_id = pg_backend_pid()
            FROM lockscope.lock_waiter AS w
            WHERE w.name = NEW.name AND w.expires_at > clock_timestamp()
            ORDER BY w.ticket LIMIT 1
        )
    INTO epoch, is_taken, is_first
    FROM lockscope.fencing_epoch AS f
    WHERE f.one;

    -- As a rule nobody waits (null), or who asks is the first. Else: does anybody in front of him live?
    IF NOT is_first THEN
        is_behind := EXISTS (
            SELECT FROM lockscope.live_waiter AS w
            WHERE w.name = NEW.name AND w.ticket < coalesce((
                SELECT min(mine.ticket) FROM lockscope.lock_waiter AS mine
                WHERE mine.name = NEW.name AND mine.token = NEW.token AND mine.session_id = pg_backend_pid()),
                9223372036854775807));
    END IF;
    IF is_behind THEN
        IF by_routine THEN
            RETURN NULL;
        END IF;
        RAISE EXCEPTION 'The lock "%" is free, but others wait for it', NEW.name USING ERRCODE = 'unique_violation',
            HINT = 'lockscope.acquire_lock joins the queue.';
    END IF;
    IF by_routine THEN
        IF is_taken THEN
            DELETE FROM lockscope.lock_entry AS e
            WHERE e.ctid IN (
                SELECT stale.ctid FROM lockscope.lock_entry AS stale
                WHERE stale.name = NEW.name AND stale.expires_at <= clock_timestamp()
                FOR UPDATE SKIP LOCKED);
            IF NOT FOUND THEN
                RETURN NULL;
            END IF;
        END IF;
        -- It may have waited for the guard.
        lease := NEW.expires_at - NEW.acquired_at;
        NEW.acquired_at := clock_timestamp();
        NEW.expires_at := NEW.acquired_at + lease;
    END IF;
    IF epoch IS NULL THEN
        epoch := lockscope.current_epoch();
    END IF;
    NEW.fencing := epoch * 1099511627776 + nextval('lockscope.fencing');
    NEW.login := session_user;
    -- A grant that a crash of the server takes back was told to somebody, and so was its number.
    IF current_setting('synchronous_commit') = 'off' THEN
        PERFORM set_config('synchronous_commit', 'on', true);
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER lock_entry_taken BEFORE INSERT ON lockscope.lock_entry
    FOR EACH ROW EXECUTE FUNCTION lockscope.lock_entry_taken();

CREATE OR REPLACE TRIGGER lock_entry_retaken BEFORE UPDATE ON lockscope.lock_entry
    FOR EACH ROW WHEN (NEW.expires_at < OLD.expires_at
        OR (OLD.name, OLD.token, OLD.fencing, OLD.login, OLD.acquired_at, OLD.owner, OLD.host, OLD.program, OLD.process_id,
            OLD.session_id)
        IS DISTINCT FROM (NEW.name, NEW.token, NEW.fencing, NEW.login, NEW.acquired_at, NEW.owner, NEW.host, NEW.program,
            NEW.process_id, NEW.session_id))
    EXECUTE FUNCTION lockscope.lock_entry_taken();

-- By whichever program or operator a name is freed: the first waiter's turn has come.
CREATE OR REPLACE FUNCTION lockscope.lock_entry_freed() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
    first_session integer;
    first_ticket bigint;
BEGIN
    IF OLD.login <> session_user THEN
        PERFORM lockscope.record_loss(OLD, 'its row was deleted');
    END IF;
    SELECT w.session_id, w.ticket INTO first_session, first_ticket FROM lockscope.lock_waiter AS w
    WHERE w.name = OLD.name AND w.expires_at > clock_timestamp() AND w.expires_at <= clock_timestamp() + interval '1 minute'
    ORDER BY w.ticket LIMIT 1;
    IF FOUND THEN
        -- As a rule its session is there: one step instead of another function.
        PERFORM pg_notify('lockscope_turn_' || first_session, first_ticket::text) FROM pg_stat_get_activity(first_session);
        IF NOT FOUND THEN
            PERFORM lockscope.wake_first_waiter(OLD.name);
        END IF;
    END IF;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER lock_entry_freed AFTER DELETE ON lockscope.lock_entry
    FOR EACH ROW EXECUTE FUNCTION lockscope.lock_entry_freed();

-- Whatever session_replication_role says: as a replica nobody else's triggers fire, and a lock would have no number.
ALTER TABLE lockscope.lock_entry ENABLE ALWAYS TRIGGER lock_entry_taken, ENABLE ALWAYS TRIGGER lock_entry_retaken,
ENABLE ALWAYS TRIGGER lock_entry_freed;

-- Takes a name, or says who has it; fencing is null if it was not granted. `waits` queues the caller, who then listens
-- for its turn and calls again with the ticket that it was given and the same token (at least every 10 s, or it drops out
-- of the queue); a newcomer passes the largest bigint. A ticket counts only with its token, in the session that it was given
-- to, or in the next one if that has ended. recheck_us tells when the obstacle in front may end by itself.
-- patience_ms: how long a lock of the server's may be waited for; then error 55P03. Each statement below sees what was
-- committed before the guard was obtained. A refused waiter has locked the holder's row: its release comes after the
-- registration and finds it. Whose turn it is, and who does not come within 1.5 s after somebody else has found the name free,
-- is passed over: his program stands still, or can't be reached. He has his place again if he asks before somebody new joins the
-- queue, who removes the registrations that are over.
DROP FUNCTION IF EXISTS lockscope.acquire_lock(text, text, bigint, boolean, bigint, text, text, text, bigint);
CREATE OR REPLACE FUNCTION lockscope.acquire_lock(
    wanted text, new_token text, lease_us bigint, waits boolean, my_ticket bigint,
    my_owner text, my_host text, my_program text, my_process_id bigint, patience_ms bigint DEFAULT NULL,
    OUT fencing bigint, OUT acquired_us bigint, OUT expires_us bigint, OUT ticket bigint, OUT recheck_us bigint,
    OUT holder_owner text, OUT holder_host text, OUT holder_program text, OUT holder_process_id bigint,
    OUT holder_session_id bigint)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET lock_timeout = '500ms' AS $$
#variable_conflict use_column
DECLARE
    newcomer CONSTANT bigint := 9223372036854775807;
    began CONSTANT timestamptz := clock_timestamp();
    had_ticket CONSTANT boolean := waits AND my_ticket <> newcomer;
    my_place bigint := newcomer;
    my_session integer;
    first_ahead bigint;
    held boolean := false;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'lockscope.acquire_lock needs READ COMMITTED (default_transaction_isolation)'
            USING ERRCODE = 'invalid_transaction_state';
    END IF;
    IF wanted IS NULL OR new_token IS NULL OR new_token = '' OR lease_us IS NULL
        OR lease_us NOT BETWEEN 1 AND 315360000000000
    THEN
        RAISE EXCEPTION 'A lock has a name and a token; its lease is longer than nothing and no longer than ten years'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF patience_ms IS NOT NULL THEN
        PERFORM set_config('lock_timeout', least(greatest(patience_ms, 1), 60000)::text, true);
    END IF;
    IF had_ticket THEN
        SELECT w.ticket, w.session_id INTO my_place, my_session FROM lockscope.lock_waiter AS w
        WHERE w.name = wanted AND w.ticket = my_ticket AND w.token = new_token;
        IF my_session <> pg_backend_pid() THEN
            -- In a new session after the old one has ended: the place in the queue is kept.
            PERFORM lockscope.take_guard(wanted);
            UPDATE lockscope.lock_waiter AS w SET session_id = pg_backend_pid(), expires_at = began + interval '10 s'
            WHERE w.name = wanted AND w.ticket = my_ticket AND w.token = new_token AND w.session_id <> pg_backend_pid()
                AND NOT EXISTS (SELECT FROM pg_stat_get_activity(w.session_id))
            RETURNING w.ticket INTO my_place;
        END IF;
        my_place := coalesce(my_place, newcomer);
    END IF;

    -- Spares the many who don't wait a write.
    IF NOT waits THEN
        held := EXISTS (SELECT FROM lockscope.lock_entry AS e WHERE e.name = wanted AND e.expires_at > began);
    END IF;
    IF NOT held THEN
        INSERT INTO lockscope.lock_entry AS e
            (name, token, fencing, acquired_at, expires_at, owner, host, program, process_id)
        VALUES (wanted, new_token, -1, began, began + lease_us * interval '1 microsecond',
            my_owner, my_host, my_program, my_process_id)
        ON CONFLICT DO NOTHING
        RETURNING e.fencing, (extract(epoch FROM e.acquired_at) * 1000000)::bigint,
            (extract(epoch FROM e.expires_at) * 1000000)::bigint
        INTO fencing, acquired_us, expires_us;
    END IF;
    IF fencing IS NOT NULL THEN
        IF had_ticket THEN
            DELETE FROM lockscope.lock_waiter AS w
            WHERE w.name = wanted AND w.token = new_token AND w.session_id = pg_backend_pid();
            EXECUTE 'UNLISTEN lockscope_turn_' || pg_backend_pid();
        END IF;
        -- The next one knows when the former holder's lease would have ended.
        IF lease_us < 3000000 THEN
            PERFORM lockscope.wake_first_waiter(wanted);
        END IF;
        RETURN;
    END IF;

    -- The answer to a former call may have been lost on its way: whose token it is has the lock.
    UPDATE lockscope.lock_entry AS e SET expires_at = clock_timestamp() + lease_us * interval '1 microsecond'
    WHERE e.name = wanted AND e.token = new_token AND e.login = session_user AND e.expires_at > clock_timestamp()
    RETURNING e.fencing, (extract(epoch FROM e.acquired_at) * 1000000)::bigint,
        (extract(epoch FROM e.expires_at) * 1000000)::bigint
    INTO fencing, acquired_us, expires_us;
    IF fencing IS NOT NULL THEN
        RETURN;
    END IF;

    -- The holder; or the waiter whose turn it is, if the name is free but reserved.
    SELECT e.owner, e.host, e.program, e.process_id, e.session_id::bigint,
        greatest(0::bigint, (extract(epoch FROM e.expires_at - clock_timestamp()) * 1000000)::bigint)
    INTO holder_owner, holder_host, holder_program, holder_process_id, holder_session_id, recheck_us
    FROM lockscope.lock_entry AS e WHERE e.name = wanted AND e.expires_at > clock_timestamp();
    held := FOUND;
    SELECT w.ticket INTO first_ahead FROM lockscope.live_waiter AS w
    WHERE w.name = wanted AND w.ticket < my_place
    ORDER BY w.ticket LIMIT 1;
    IF NOT held AND first_ahead IS NOT NULL THEN
        SELECT w.owner, w.host, w.program, w.process_id, w.session_id::bigint,
            greatest(0::bigint, (extract(epoch FROM w.expires_at - clock_timestamp()) * 1000000)::bigint)
        INTO holder_owner, holder_host, holder_program, holder_process_id, holder_session_id, recheck_us
        FROM lockscope.lock_waiter AS w WHERE w.ticket = first_ahead;
        -- The guard is ours: nobody renews a registration meanwhile.
        UPDATE lockscope.lock_waiter AS w SET expires_at = clock_timestamp() + interval '1500 ms'
        WHERE w.ticket = first_ahead AND w.expires_at > clock_timestamp() + interval '1500 ms';
        recheck_us := least(recheck_us, 1500000::bigint);
    END IF;
    recheck_us := coalesce(recheck_us, 0::bigint);
    IF NOT waits THEN
        RETURN;
    END IF;

    IF held THEN
        PERFORM FROM lockscope.lock_entry AS e WHERE e.name = wanted FOR KEY SHARE SKIP LOCKED;
        IF NOT FOUND THEN
            recheck_us := 20000::bigint; -- it is being released right now
        END IF;
    END IF;
    -- The first in line, and the two behind him, look whether who is in front of them has died.
    IF (SELECT count(*) FROM (
            SELECT FROM lockscope.live_waiter AS w
            WHERE w.name = wanted AND w.ticket < my_place LIMIT 3) AS ahead) < 3
    THEN
        recheck_us := least(recheck_us, 1000000::bigint);
    END IF;
    UPDATE lockscope.lock_waiter AS w SET expires_at = clock_timestamp() + interval '10 s'
    WHERE w.ticket = my_place;
    IF FOUND THEN
        ticket := my_place;
        RETURN;
    END IF;
    DELETE FROM lockscope.lock_waiter AS w
    WHERE w.ticket IN (
        SELECT over.ticket FROM lockscope.lock_waiter AS over
        WHERE over.name = wanted
            AND (over.expires_at <= clock_timestamp() OR over.token = new_token AND over.session_id = pg_backend_pid())
        FOR UPDATE SKIP LOCKED);
    INSERT INTO lockscope.lock_waiter AS w (name, token, expires_at, owner, host, program, process_id)
    VALUES (wanted, new_token, clock_timestamp() + interval '10 s', my_owner, my_host, my_program, my_process_id)
    RETURNING w.ticket INTO ticket;
    EXECUTE 'LISTEN lockscope_turn_' || pg_backend_pid();
END $$;

-- Frees a name; false if the row is not ours any more, and then nothing is touched.
CREATE OR REPLACE FUNCTION lockscope.release_lock(held text, my_token text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET lock_timeout = '10s' AS $$
BEGIN
    DELETE FROM lockscope.lock_entry AS e WHERE e.name = held AND e.token = my_token;
    RETURN FOUND;
END $$;

-- Prolongs the lease from now; its new end in microseconds since 1970, or null if the row is not ours any more. Nor is one
-- of before a failover: the last commits of the former server may be missing, somebody else's grant among them.
CREATE OR REPLACE FUNCTION lockscope.renew_lock(held text, my_token text, lease_us bigint) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET lock_timeout = '5s' AS $$
DECLARE
    new_end timestamptz;
BEGIN
    IF lease_us IS NULL OR lease_us NOT BETWEEN 1 AND 315360000000000 THEN
        RAISE EXCEPTION 'A lease is longer than nothing and no longer than ten years'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    UPDATE lockscope.lock_entry AS e SET expires_at = clock_timestamp() + lease_us * interval '1 microsecond'
    WHERE e.name = held AND e.token = my_token AND e.fencing >= lockscope.current_epoch() * 1099511627776
    RETURNING e.expires_at INTO new_end;
    RETURN (extract(epoch FROM new_end) * 1000000)::bigint;
END $$;

-- A waiter gives up: takes back its registration and whatever was granted to it meanwhile, and passes its turn on.
CREATE OR REPLACE FUNCTION lockscope.leave_queue(wanted text, my_token text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET lock_timeout = '10s' AS $$
BEGIN
    DELETE FROM lockscope.lock_entry AS e WHERE e.name = wanted AND e.token = my_token;
    DELETE FROM lockscope.lock_waiter AS w
    WHERE w.name = wanted AND w.token = my_token
        AND (w.session_id = pg_backend_pid() OR NOT EXISTS (SELECT FROM pg_stat_get_activity(w.session_id)));
    EXECUTE 'UNLISTEN lockscope_turn_' || pg_backend_pid();
    -- Whatever is seen of the holder: a release that is not committed yet may have chosen us.
    PERFORM lockscope.wake_first_waiter(wanted);
END $$;

-- Frees whatever is stale and forgets waiters that crashed and names that nobody uses; how many names were freed.
CREATE OR REPLACE FUNCTION lockscope.purge_stale() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '10s' AS $$
DECLARE
    freed bigint;
BEGIN
    -- A session that has one of these locked decides about it itself.
    DELETE FROM lockscope.lock_waiter AS w
    WHERE w.ticket IN (
        SELECT over.ticket FROM lockscope.lock_waiter AS over
        WHERE over.expires_at <= clock_timestamp() OR over.expires_at > clock_timestamp() + interval '1 minute'
            OR NOT EXISTS (SELECT FROM pg_stat_get_activity(over.session_id))
        FOR UPDATE SKIP LOCKED);
    DELETE FROM lockscope.lock_entry AS e
    WHERE e.name IN (
        SELECT stale.name FROM lockscope.lock_entry AS stale
        WHERE stale.expires_at <= clock_timestamp()
        FOR UPDATE SKIP LOCKED);
    GET DIAGNOSTICS freed = ROW_COUNT;
    DELETE FROM lockscope.lock_name AS g
    WHERE g.ctid IN (
        SELECT unused.ctid FROM lockscope.lock_name AS unused
        WHERE NOT EXISTS (SELECT FROM lockscope.lock_entry AS e WHERE e.name = unused.name)
            AND NOT EXISTS (SELECT FROM lockscope.lock_waiter AS w WHERE w.name = unused.name)
        FOR UPDATE SKIP LOCKED);
    RETURN freed;
END $$;

-- The only way into the audit: who it was is the login, whatever the caller says of himself in `origin`. An act on
-- an entry names its fencing number in `shown`; the trigger above then puts down what the server itself saw go.
CREATE OR REPLACE FUNCTION lockscope.audit_act(
    origin text, act text, target text, reason text, shown jsonb, outcome text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '10s' AS $$
#variable_conflict use_variable
DECLARE
    new_id bigint;
BEGIN
    INSERT INTO lockscope.audit_log AS a (who, origin, act, target, reason, before, outcome, fencing)
    VALUES (session_user, left(origin, 2000), left(act, 100), left(target, 10000), left(reason, 10000),
        CASE WHEN octet_length(shown::text) <= 1000000 THEN shown ELSE '"too long to be kept"'::jsonb END, left(outcome, 10000),
        CASE WHEN jsonb_typeof(shown -> 'fencing') = 'number' THEN (shown ->> 'fencing')::bigint END)
    RETURNING a.id INTO new_id;
    RETURN new_id;
END $$;

-- How an act ended: once, by who has put it down, and not long after it.
CREATE OR REPLACE FUNCTION lockscope.audit_outcome(act_id bigint, seen jsonb, ended text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '10s' AS $$
BEGIN
    UPDATE lockscope.audit_log AS a SET outcome = left(ended, 10000), before = coalesce(seen, a.before)
    WHERE a.id = act_id AND a.outcome = 'begun' AND NOT a.seen_by_server AND a.who = session_user
        AND a.at > clock_timestamp() - interval '1 hour';
    RETURN FOUND;
END $$;

-- The pair that goes round the work which only one server of a farm may do: an exclusive application lock of
-- the session. 0 = obtained at once, 1 = after waiting (somebody else did the work just now?), else the error 55P03. It
-- is the same lock as pg_advisory_lock(hashtextextended(name, 0)). "SET lock_timeout" puts the caller's value back.
CREATE OR REPLACE FUNCTION lockscope.acquire_app_lock(wanted text, timeout_ms integer DEFAULT 100000) RETURNS integer
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET lock_timeout = 0 AS $$
DECLARE
    wanted_key CONSTANT bigint := hashtextextended(wanted, 0);
    answer integer := 0;
BEGIN
    IF wanted IS NULL OR char_length(wanted) NOT BETWEEN 1 AND 255 OR timeout_ms IS NULL OR timeout_ms < -1 THEN
        RAISE EXCEPTION 'The name of an application lock has 1 to 255 characters, its waiting time is -1, 0 or more ms'
            USING ERRCODE = 'invalid_parameter_value';
    END IF;
    IF pg_is_in_recovery() THEN
        RAISE EXCEPTION 'An application lock of a standby excludes nobody on the primary'
            USING ERRCODE = 'read_only_sql_transaction', HINT = 'Take it on the primary.';
    END IF;
    IF NOT pg_try_advisory_lock(wanted_key) THEN
        answer := 1;
        BEGIN
            IF timeout_ms = 0 THEN
                RAISE lock_not_available;
            END IF;
            PERFORM set_config('lock_timeout', greatest(timeout_ms, 0)::text, true);
            PERFORM pg_advisory_lock(wanted_key);
        EXCEPTION WHEN lock_not_available THEN
            RAISE EXCEPTION 'The application lock "%" was not obtained within % ms', wanted, timeout_ms
                USING ERRCODE = 'lock_not_available';
        END;
    END IF;
    -- Only for the reader of a monitor: nothing may fail or wait for it.
    IF NOT EXISTS (SELECT FROM lockscope.app_lock_name AS n WHERE n.key = wanted_key) THEN
        BEGIN
            PERFORM set_config('lock_timeout', '10', true);
            INSERT INTO lockscope.app_lock_name (key, name) VALUES (wanted_key, wanted) ON CONFLICT DO NOTHING;
        EXCEPTION WHEN lock_not_available OR insufficient_privilege OR read_only_sql_transaction THEN
            NULL;
        END;
    END IF;
    RETURN answer;
END $$;

-- One release for one acquire; false if the session does not hold it.
CREATE OR REPLACE FUNCTION lockscope.release_app_lock(held text) RETURNS boolean
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    SELECT pg_advisory_unlock(hashtextextended(held, 0))
$$;

-- Inside of a transaction: waits (lock_timeout at most) until nobody else has this key, then has it up to the
-- transaction's end. The insert tolerates that somebody else was quicker; and who waited for a row that a clean-up removes
-- has locked nothing, and begins again.
CREATE OR REPLACE FUNCTION lockscope.lock_surrogate_key(wanted text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF wanted IS NULL OR char_length(wanted) NOT BETWEEN 1 AND 255 THEN
        RAISE EXCEPTION 'A surrogate key has 1 to 255 characters' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    FOR round IN 1..2000 LOOP
        INSERT INTO lockscope.surrogate_key (key) VALUES (wanted) ON CONFLICT DO NOTHING;
        IF FOUND THEN
            RETURN;
        END IF;
        PERFORM FROM lockscope.surrogate_key AS k WHERE k.key = wanted FOR UPDATE;
        IF FOUND THEN
            RETURN;
        END IF;
    END LOOP;
    RAISE EXCEPTION 'The key "%" can''t be locked: its row does not stay in the table', wanted;
END $$;

-- A table that nobody uses but to lock it: "surrogate:" and the given name. Made with the rights of the
-- schema's owner, so that who calls this needs none of his own.
CREATE OR REPLACE FUNCTION lockscope.add_surrogate_table(wanted text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    full_name CONSTANT text := 'surrogate:' || wanted;
BEGIN
    IF wanted IS NULL OR wanted = '' OR octet_length(full_name) > 63 THEN
        RAISE EXCEPTION 'The name of a surrogate table has 1 to 53 bytes' USING ERRCODE = 'name_too_long';
    END IF;
    EXECUTE format('CREATE TABLE IF NOT EXISTS lockscope.%I (unused boolean)', full_name);
    PERFORM lockscope.set_rights(full_name);
END $$;

-- Reports, for eyes and spreadsheets.
CREATE OR REPLACE VIEW lockscope.holders AS
SELECT e.name, e.owner, e.host, e.program, e.process_id, e.session_id, e.fencing, e.acquired_at, e.expires_at,
    clock_timestamp() - e.acquired_at AS held_for,
    e.expires_at <= clock_timestamp() AS is_stale,
    (SELECT count(*) FROM lockscope.lock_waiter AS w WHERE w.name = e.name AND w.expires_at > clock_timestamp()) AS waiters
FROM lockscope.lock_entry AS e;

CREATE OR REPLACE VIEW lockscope.waiters AS
SELECT w.name, row_number() OVER (PARTITION BY w.name ORDER BY w.ticket) AS place, w.owner, w.host, w.program,
    w.process_id, w.session_id, w.registered_at, clock_timestamp() - w.registered_at AS waiting_for, w.ticket
FROM lockscope.lock_waiter AS w
WHERE w.expires_at > clock_timestamp();

CREATE OR REPLACE VIEW lockscope.stale AS
SELECT e.name, e.owner, e.host, e.program, e.process_id, e.session_id, e.acquired_at, e.expires_at,
    clock_timestamp() - e.expires_at AS stale_for
FROM lockscope.lock_entry AS e
WHERE e.expires_at <= clock_timestamp();

CREATE OR REPLACE VIEW lockscope.audit AS
SELECT a.id, a.at, a.who, a.origin, a.act, a.target, a.reason, a.outcome, a.before
FROM lockscope.audit_log AS a;

-- Who may do what in this schema, and nobody anything else: one row a right that is missing or that the installation
-- did not give, and the statement that mends it. Three roles of the server: the reader looks, but does not see the tokens; the
-- operator takes, frees and purges locks and has his acts recorded, but can't write or change the record; the administrator
-- also makes surrogate tables and clears out what is old. All others may do nothing here: the functions on application locks,
-- which the server gives to everybody anyway, are for all who may use the schema.
-- The program takes this text for its own check of a server, and does not call the function. "of_table": only those on it.
CREATE OR REPLACE FUNCTION lockscope.wrong_rights(of_table text DEFAULT NULL)
RETURNS TABLE (object text, fault text, mend text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
WITH here AS (
    SELECT n.oid, n.nspname, n.nspowner, n.nspacl
    FROM pg_catalog.pg_namespace AS n
    WHERE n.nspname = 'lockscope'
),

-- A role counts from when an installation has let it into the schema.
given (roles, kind, names, privileges, attributes) AS (
    VALUES
    ('reader operator admin', 'SCHEMA', 'lockscope', 'USAGE', ''),
    ('reader operator admin', 'TABLE', 'schema_version app_lock_name audit_log surrogate_key fencing_epoch', 'SELECT', ''),
    ('reader operator admin', 'TABLE', 'holders waiters stale audit', 'SELECT', ''),
    (
        'reader', 'TABLE', 'lock_entry', 'SELECT',
        'name fencing acquired_at expires_at owner host program process_id session_id login token_start'
    ),
    (
        'reader', 'TABLE', 'lock_waiter', 'SELECT',
        'ticket name registered_at expires_at owner host program process_id session_id'
    ),
    ('operator admin', 'TABLE', 'lock_entry', 'SELECT INSERT UPDATE DELETE', ''),
    -- The ticket is the place in the queue: the server gives it.
    ('operator admin', 'TABLE', 'lock_waiter', 'SELECT DELETE', ''),
    ('operator admin', 'TABLE', 'lock_waiter', 'INSERT', 'name token expires_at owner host program process_id'),
    ('operator admin', 'TABLE', 'lock_waiter', 'UPDATE', 'expires_at session_id'),
    ('operator admin', 'TABLE', 'live_waiter', 'SELECT', ''),
    ('operator admin', 'TABLE', 'app_lock_name', 'INSERT', ''),
    ('operator admin', 'TABLE', 'surrogate_key', 'INSERT UPDATE', ''),
    ('operator admin', 'TABLE', 'surrogate:*', 'SELECT UPDATE', ''),
    (
        'operator admin', 'ROUTINE',
        'acquire_lock release_lock renew_lock leave_queue take_guard purge_stale lock_surrogate_key wake_first_waiter '
        || 'current_epoch audit_act audit_outcome',
        'EXECUTE', ''
    ),
    ('admin', 'TABLE', 'app_lock_name audit_log surrogate_key', 'DELETE', ''),
    ('admin', 'ROUTINE', 'add_surrogate_table', 'EXECUTE', ''),
    ('PUBLIC', 'ROUTINE', 'acquire_app_lock release_app_lock', 'EXECUTE', '')
),

-- Whatever can have rights. "code" is what acldefault() calls it.
things AS (
    SELECT t.*
    FROM (
        SELECT 'SCHEMA' AS kind, 'schema' AS called, here.nspname::text AS name, format('%I', here.nspname) AS shown,
            '' AS attribute, here.nspowner AS owner, here.nspacl AS acl, 'n'::"char" AS code
        FROM here
        UNION ALL
        SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
            CASE c.relkind WHEN 'S' THEN 'sequence' WHEN 'v' THEN 'view' ELSE 'table' END,
            c.relname::text, format('%I.%I', here.nspname, c.relname), '', c.relowner, c.relacl,
            CASE c.relkind WHEN 'S' THEN 's'::"char" ELSE 'r'::"char" END
        FROM here INNER JOIN pg_catalog.pg_class AS c ON c.relnamespace = here.oid
        WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
        UNION ALL
        SELECT 'TABLE', 'table', c.relname::text, format('%I.%I', here.nspname, c.relname), a.attname::text, c.relowner, a.attacl,
            'c'::"char"
        FROM here
        INNER JOIN pg_catalog.pg_class AS c ON c.relnamespace = here.oid
        INNER JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid
        WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT a.attisdropped AND (a.attacl IS NOT NULL OR NOT c.relispartition)
        UNION ALL
        SELECT 'ROUTINE', 'function', p.proname::text,
            format('%I.%I(%s)', here.nspname, p.proname, pg_get_function_identity_arguments(p.oid)), '', p.proowner, p.proacl,
            'f'::"char"
        FROM here INNER JOIN pg_catalog.pg_proc AS p ON p.pronamespace = here.oid
        UNION ALL
        SELECT 'TYPE', 'type', t.typname::text, format('%I.%I', here.nspname, t.typname), '', t.typowner, t.typacl, 'T'::"char"
        FROM here INNER JOIN pg_catalog.pg_type AS t ON t.typnamespace = here.oid
        WHERE t.typtype IN ('b', 'c', 'd', 'e', 'r') AND NOT EXISTS (SELECT FROM pg_catalog.pg_type AS e WHERE e.typarray = t.oid)
    ) AS t
    WHERE of_table IS NULL OR t.name = of_table
),

known (oid, name) AS (
    SELECT 0::oid, 'PUBLIC'
    UNION
    SELECT r.oid, substr(r.rolname, length(here.nspname) + 2)
    FROM here
    CROSS JOIN LATERAL aclexplode(here.nspacl) AS a
    INNER JOIN pg_catalog.pg_roles AS r ON r.oid = a.grantee AND starts_with(r.rolname, here.nspname || '_')
),

wanted AS (
    SELECT t.kind, t.called, t.shown, t.attribute, t.owner, known.oid AS grantee, p.privilege
    FROM given AS g
    INNER JOIN known ON known.name = ANY (string_to_array(g.roles, ' '))
    INNER JOIN things AS t ON t.kind = g.kind
        AND CASE WHEN g.names LIKE '%:*' THEN starts_with(t.name, rtrim(g.names, '*'))
            ELSE t.name = ANY (string_to_array(g.names, ' ')) END
        AND CASE g.attributes WHEN '' THEN t.attribute = '' ELSE t.attribute = ANY (string_to_array(g.attributes, ' ')) END
    CROSS JOIN LATERAL unnest(string_to_array(g.privileges, ' ')) AS p (privilege)
    UNION
    SELECT t.kind, t.called, t.shown, t.attribute, t.owner, a.grantee, a.privilege_type
    FROM things AS t CROSS JOIN LATERAL aclexplode(acldefault(t.code, t.owner)) AS a
    WHERE a.grantee = t.owner
),

found AS (
    SELECT t.kind, t.called, t.shown, t.attribute, t.owner, a.grantee, a.privilege_type AS privilege,
        bool_or(a.is_grantable AND a.grantee <> t.owner) AS passes_on
    FROM things AS t CROSS JOIN LATERAL aclexplode(coalesce(t.acl, acldefault(t.code, t.owner))) AS a
    GROUP BY t.kind, t.called, t.shown, t.attribute, t.owner, a.grantee, a.privilege_type
),

differing AS (
    SELECT kind, called, shown, privilege,
        CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS role,
        CASE attribute WHEN '' THEN '' ELSE format(' (%I)', attribute) END AS columns,
        found.owner IS NULL AS is_missing,
        found.owner IS NOT NULL AND wanted.owner IS NOT NULL AS is_option
    FROM found FULL JOIN wanted USING (kind, called, shown, attribute, owner, grantee, privilege)
    WHERE found.owner IS NULL OR wanted.owner IS NULL OR found.passes_on
)

SELECT d.shown,
    format(CASE WHEN d.is_missing THEN '%s lacks %s on %s %s%s: the installation gives it'
        WHEN d.is_option THEN '%s may pass on %s on %s %s%s: not given by the installation'
        ELSE '%s has %s on %s %s%s: not given by the installation' END,
        d.role, d.privilege, d.called, d.shown, d.columns),
    format(CASE WHEN d.is_missing THEN 'GRANT %s%s ON %s %s TO %s'
        WHEN d.is_option THEN 'REVOKE GRANT OPTION FOR %s%s ON %s %s FROM %s CASCADE'
        ELSE 'REVOKE %s%s ON %s %s FROM %s CASCADE' END,
        d.privilege, d.columns, d.kind, d.shown, d.role)
FROM differing AS d
$$;

-- Sets these rights, whatever default privileges have given: all of them, or those on one table.
CREATE OR REPLACE FUNCTION lockscope.set_rights(of_table text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    wrong record;
BEGIN
    -- What is taken from one goes from those whom he has given it to, who may have it by the installation too: again, then.
    FOR attempt IN 1..5 LOOP
        FOR wrong IN
            SELECT w.mend FROM lockscope.wrong_rights(of_table) AS w
            ORDER BY w.mend DESC -- "REVOKE" before "GRANT"
        LOOP
            EXECUTE wrong.mend;
        END LOOP;
        IF NOT FOUND THEN
            RETURN;
        END IF;
    END LOOP;
    RAISE EXCEPTION 'The rights in the schema lockscope can''t be set: %',
        (SELECT string_agg(w.fault, '; ' ORDER BY w.fault) FROM lockscope.wrong_rights(of_table) AS w)
        USING ERRCODE = 'object_not_in_prerequisite_state';
END $$;

-- What is wrong with the roles of the server that have our names: who may give them to others, and what they have
-- from elsewhere. "at_first": counts only before this database has let the role in. Trusted are superusers and who may act as
-- the owner of the schema. As above, the program takes the text.
CREATE OR REPLACE FUNCTION lockscope.wrong_roles() RETURNS TABLE (role text, at_first boolean, fault text, mend text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
WITH RECURSIVE here AS (
    SELECT n.oid, n.nspname, n.nspowner, n.nspacl
    FROM pg_catalog.pg_namespace AS n
    WHERE n.nspname = 'lockscope'
),

ours AS (
    SELECT r.oid, quote_ident(r.rolname) AS shown, r.rolname, r.rolcanlogin, r.rolsuper, r.rolcreaterole, r.rolcreatedb,
        r.rolreplication, r.rolbypassrls
    FROM pg_catalog.pg_roles AS r
    WHERE r.rolname IN ('lockscope_reader', 'lockscope_operator', 'lockscope_admin')
),

-- What gives such a role no more than it is for.
harmless (name, to_role) AS (
    VALUES
    ('pg_monitor', NULL), ('pg_read_all_settings', NULL), ('pg_read_all_stats', NULL), ('pg_stat_scan_tables', NULL),
    ('pg_signal_backend', NULL), ('lockscope_reader', NULL), ('lockscope_operator', 'lockscope_admin')
),

-- "first" is the membership by which a role has come to the others.
reached (role, first, member_of) AS (
    SELECT ours.oid, m.roleid, m.roleid
    FROM ours INNER JOIN pg_catalog.pg_auth_members AS m ON m.member = ours.oid
    UNION
    SELECT reached.role, reached.first, m.roleid
    FROM reached INNER JOIN pg_catalog.pg_auth_members AS m ON m.member = reached.member_of
)

SELECT ours.rolname::text, false, format('%s has the attribute %s', ours.shown, has.attribute),
    format('ALTER ROLE %s NO%s', ours.shown, has.attribute)
FROM ours
CROSS JOIN LATERAL (
    VALUES ('LOGIN', ours.rolcanlogin), ('SUPERUSER', ours.rolsuper), ('CREATEROLE', ours.rolcreaterole),
    ('CREATEDB', ours.rolcreatedb), ('REPLICATION', ours.rolreplication), ('BYPASSRLS', ours.rolbypassrls)
) AS has (attribute, it_has)
WHERE has.it_has
UNION
SELECT ours.rolname::text, false, format('%s is a member of %I, which gives it more', ours.shown, m.rolname),
    format('REVOKE %I FROM %s', f.rolname, ours.shown)
FROM reached
INNER JOIN ours ON ours.oid = reached.role
INNER JOIN pg_catalog.pg_roles AS m ON m.oid = reached.member_of
INNER JOIN pg_catalog.pg_roles AS f ON f.oid = reached.first
WHERE NOT EXISTS (
    SELECT FROM harmless AS h WHERE h.name = m.rolname AND coalesce(h.to_role, ours.rolname) = ours.rolname)
UNION
SELECT ours.rolname::text, false, format('%I may give %s to anybody', r.rolname, ours.shown),
    format('REVOKE ADMIN OPTION FOR %s FROM %I CASCADE', ours.shown, r.rolname)
FROM ours
CROSS JOIN here
INNER JOIN pg_catalog.pg_auth_members AS m ON m.roleid = ours.oid AND m.admin_option
INNER JOIN pg_catalog.pg_roles AS r ON r.oid = m.member
WHERE NOT pg_has_role(r.oid, here.nspowner, 'MEMBER')
UNION
SELECT ours.rolname::text, true,
    format('%I was made a member of %s by %s', r.rolname, ours.shown, coalesce(quote_ident(g.rolname), 'a role that is gone')),
    format('REVOKE %s FROM %I CASCADE', ours.shown, r.rolname)
FROM ours
CROSS JOIN here
INNER JOIN pg_catalog.pg_auth_members AS m ON m.roleid = ours.oid
INNER JOIN pg_catalog.pg_roles AS r ON r.oid = m.member
LEFT JOIN pg_catalog.pg_roles AS g ON g.oid = m.grantor
WHERE g.oid IS NULL OR NOT pg_has_role(g.oid, here.nspowner, 'MEMBER')
UNION
SELECT ours.rolname::text, true, format('%s does not say that an installation of Lockscope made it', ours.shown),
    format('DROP ROLE %s', ours.shown)
FROM ours
WHERE shobj_description(ours.oid, 'pg_authid') IS DISTINCT FROM 'Made by Lockscope''s installation.'
$$;

-- The roles are made by an account that may make roles (an installation by somebody else goes without), and let in. They are the
-- cluster's: one that somebody else made, or may give to others, would be whatever he likes in this schema.
GRANT ALL ON ALL ROUTINES IN SCHEMA lockscope TO CURRENT_USER;
DO $$
DECLARE
    wanted text;
    faults text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['lockscope_reader', 'lockscope_operator', 'lockscope_admin'] LOOP
        IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = wanted) THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
                EXECUTE format('COMMENT ON ROLE %I IS %L', wanted, 'Made by Lockscope''s installation.');
            EXCEPTION
                WHEN insufficient_privilege THEN
                    RAISE NOTICE 'The role % is not there, and % may not create it', wanted, current_user;
                    CONTINUE;
                -- An installation in another database was quicker.
                WHEN duplicate_object OR unique_violation THEN
                    NULL;
            END;
        END IF;
        -- An installation that was finished has looked before it let the role in.
        IF wanted <> ALL (string_to_array(current_setting('lockscope.adopted_roles'), ' ')) AND NOT (
            EXISTS (SELECT FROM lockscope.schema_version)
            AND EXISTS (
                SELECT FROM pg_catalog.pg_namespace AS n
                CROSS JOIN LATERAL aclexplode(n.nspacl) AS a
                INNER JOIN pg_catalog.pg_roles AS r ON r.oid = a.grantee
                WHERE n.nspname = 'lockscope' AND r.rolname = wanted)
        ) THEN
            SELECT string_agg(w.fault, '; ' ORDER BY w.fault) INTO faults FROM lockscope.wrong_roles() AS w WHERE w.role = wanted;
            IF faults IS NOT NULL THEN
                RAISE EXCEPTION 'The role % is there, and is not what Lockscope makes: %', wanted, faults
                    USING ERRCODE = 'invalid_role_specification',
                    HINT = 'Nothing was changed. Find out who made it and why: DROP ROLE, then install again. Or mend what is told; '
                        'or, if its members may do here what it may, name it in lockscope.adopted_roles.';
            END IF;
        END IF;
        EXECUTE format('GRANT USAGE ON SCHEMA lockscope TO %I', wanted);
    END LOOP;
    PERFORM lockscope.set_rights();
END $$;

INSERT INTO lockscope.schema_version (version) VALUES (1) ON CONFLICT DO NOTHING;
