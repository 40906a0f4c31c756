-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A team's history, version 1: what any number of watchers saw of any number of servers, in the schema lockscope_history.
-- Idempotent: run it as often as you like. Run it as one transaction (psql -1 -f).
-- It refuses a history of another version.
-- It needs no superuser and no extension: CREATE on the database is enough. Who may not make roles has
-- them made before (see lockscope.adopted_roles).
--
-- Times are microseconds since 1970 in UTC: "…_us" by the clock of the server that was watched, "noted_us" by that of the
-- watcher. A day is one of this database's clock, in UTC: that on which the key frame that a row belongs to came here.
-- A day is a partition of each table, and goes as a whole; so texts, resources and parties stand once a recording and day.
--
-- Writers insert (COPY) into recordings of their own login and into no others: columns that they have no right on, and the
-- triggers below, see to that. They read nothing, change nothing, drop nothing: what they need beyond inserting are four
-- functions, which run with the rights of the schema's owner and ask whose the recording is. Readers only read.
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

-- Two that install at once take turns. Anybody can take this lock, and keep it: nobody waits long for it.
DO $$
BEGIN
    FOR attempt IN 1..50 LOOP
        EXIT WHEN pg_try_advisory_xact_lock(1282368363, 1);
        PERFORM pg_sleep(0.1);
    END LOOP;
END $$;

-- Adopts nothing that somebody else made: the owner of a function or table in the schema, or of what these lead to, would
-- act with the rights of everybody who uses them. recording/postgres/history/check asks the same on behalf of a connection.
DO $$
DECLARE
    faults text;
BEGIN
    IF (SELECT pg_encoding_to_char(d.encoding) FROM pg_catalog.pg_database AS d WHERE d.datname = current_database()) <> 'UTF8' THEN
        RAISE EXCEPTION 'A history needs a database in UTF8' USING ERRCODE = 'feature_not_supported',
            HINT = 'It keeps texts of other servers: CREATE DATABASE … ENCODING ''UTF8'' TEMPLATE template0.';
    END IF;
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
            WHERE n.nspname = 'lockscope_history' AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
        )

        SELECT format('the schema belongs to %s', pg_get_userbyid(n.nspowner)) AS fault
        FROM pg_catalog.pg_namespace AS n
        WHERE n.nspname = 'lockscope_history' AND n.nspowner NOT IN (SELECT t.oid FROM trusted AS t)
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
        INNER JOIN pg_catalog.pg_namespace AS n ON n.oid = d.namespace AND n.nspname = 'lockscope_history'
        LEFT JOIN pg_catalog.pg_roles AS r ON r.oid = d.owner
        WHERE d.owner <> n.nspowner
        UNION ALL
        SELECT format('a trigger on %s calls %s', t.tgrelid::regclass, t.tgfoid::regprocedure)
        FROM pg_catalog.pg_trigger AS t
        INNER JOIN pg_catalog.pg_class AS c ON c.oid = t.tgrelid
        INNER JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname = 'lockscope_history'
        INNER JOIN pg_catalog.pg_proc AS p ON p.oid = t.tgfoid
        WHERE NOT t.tgisinternal AND (p.pronamespace <> n.oid OR p.proowner <> n.nspowner)
        UNION ALL
        SELECT format('%s has rules or row security', c.oid::regclass)
        FROM pg_catalog.pg_class AS c
        INNER JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname = 'lockscope_history'
        WHERE c.relkind IN ('r', 'p')
            AND (c.relrowsecurity OR EXISTS (SELECT FROM pg_catalog.pg_rewrite AS w WHERE w.ev_class = c.oid))
        UNION ALL
        SELECT 'it has objects, but not those of a history'
        WHERE to_regclass('lockscope_history.schema_version') IS NULL
            AND EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.relnamespace = to_regnamespace('lockscope_history'))
    ) AS f;
    IF faults IS NOT NULL THEN
        RAISE EXCEPTION 'The schema lockscope_history is not what Lockscope made: %', faults
            USING ERRCODE = 'insufficient_privilege',
            HINT = 'Nothing was changed. Find out who made it and why; remove it or give it another name, then install again.';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'lockscope_history') THEN
        CREATE SCHEMA lockscope_history;
    END IF;
END $$;

-- Default privileges may have taken the owner's own rights away. The last part of this script sets exactly those that stay.
DO $$
BEGIN
    IF EXISTS (
        SELECT FROM pg_catalog.pg_namespace AS n
        WHERE n.nspname = 'lockscope_history' AND n.nspacl IS NOT NULL
            AND (SELECT count(*) FROM aclexplode(n.nspacl) AS a WHERE a.grantee = n.nspowner) < 2
    ) THEN
        GRANT ALL ON SCHEMA lockscope_history TO CURRENT_USER;
    END IF;
END $$;

-- Nothing is changed in a history of another version.
DO $$
DECLARE
    found text;
BEGIN
    IF to_regclass('lockscope_history.schema_version') IS NOT NULL THEN
        SELECT string_agg(left(v.version::text, 40), ', ') INTO found FROM lockscope_history.schema_version AS v;
        IF found IS DISTINCT FROM '1' THEN
            RAISE EXCEPTION 'The schema lockscope_history has version %, and this script installs version 1', coalesce(found, 'none')
                USING ERRCODE = 'feature_not_supported', HINT = 'Nothing was changed. Use the program that installed it.';
        END IF;
    END IF;
END $$;

CREATE TABLE IF NOT EXISTS lockscope_history.schema_version (
    version integer PRIMARY KEY,
    installed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- How long a day is kept, and how long what writers have pinned, for they alone must not be able to keep things for ever: for
-- the schema's owner to change.
CREATE TABLE IF NOT EXISTS lockscope_history.setting (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    keep_days integer NOT NULL DEFAULT 30 CHECK (keep_days BETWEEN 1 AND 36500),
    keep_pinned_days integer NOT NULL DEFAULT 365 CHECK (keep_pinned_days BETWEEN 1 AND 36500)
);
DO $$
BEGIN
    IF NOT (has_table_privilege('lockscope_history.setting', 'SELECT') AND has_table_privilege('lockscope_history.setting', 'INSERT'))
    THEN
        GRANT ALL ON lockscope_history.setting TO CURRENT_USER;
    END IF;
END $$;
INSERT INTO lockscope_history.setting DEFAULT VALUES ON CONFLICT DO NOTHING;

-- What one watcher saw of one server. Its file has the same id. "last_…": how far it has come here.
CREATE TABLE IF NOT EXISTS lockscope_history.recording (
    key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    writer name NOT NULL, -- the login that writes it, and the only one that may
    id text COLLATE "C" NOT NULL CHECK (char_length(id) BETWEEN 1 AND 255),
    server text NOT NULL, -- as it was shown
    engine text NOT NULL,
    began_us bigint NOT NULL,
    redacted integer NOT NULL, -- 1: literals of statements were left out
    program text NOT NULL,
    host text NOT NULL, -- of the watcher
    written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_frame bigint NOT NULL DEFAULT 0,
    last_taken_us bigint NOT NULL DEFAULT 0,
    last_noted_us bigint NOT NULL DEFAULT 0,
    last_key_frame bigint NOT NULL DEFAULT 0,
    last_day date,
    last_interval bigint NOT NULL DEFAULT 0,
    last_event bigint NOT NULL DEFAULT 0,
    last_surroundings bigint NOT NULL DEFAULT 0,
    cluster text NOT NULL DEFAULT '', -- what the server itself calls its data; empty: not known
    place text NOT NULL DEFAULT '', -- which server that is, whatever it is called: engine, hosts with ports, database
    UNIQUE (writer, id)
);

-- Kept although older than what is kept else: the pins of the recording's file.
CREATE TABLE IF NOT EXISTS lockscope_history.pin (
    recording bigint NOT NULL,
    id bigint NOT NULL,
    from_us bigint NOT NULL,
    to_us bigint NOT NULL,
    why text NOT NULL,
    PRIMARY KEY (recording, id)
);

-- A range of time in which one program watched without interruption.
CREATE TABLE IF NOT EXISTS lockscope_history.segment (
    recording bigint NOT NULL,
    id bigint NOT NULL,
    began_us bigint NOT NULL,
    seen_us bigint NOT NULL,
    noted_us bigint NOT NULL,
    host text NOT NULL,
    process_id bigint NOT NULL,
    end_reason text, -- NULL: it goes on, or the program was cut off
    PRIMARY KEY (recording, id)
);

-- A snapshot: see schema/recording/install.sql.
CREATE TABLE IF NOT EXISTS lockscope_history.frame (
    day date NOT NULL,
    recording bigint NOT NULL,
    number bigint NOT NULL,
    segment bigint NOT NULL,
    key_frame bigint NOT NULL,
    taken_us bigint NOT NULL,
    noted_us bigint NOT NULL,
    interval_ms bigint NOT NULL DEFAULT 0,
    after_gap integer NOT NULL DEFAULT 0, -- as it came: what was dropped here since left gaps, too
    sessions bigint NOT NULL,
    locks bigint NOT NULL,
    waiting bigint NOT NULL,
    longest_ms bigint NOT NULL,
    longest_exact integer NOT NULL,
    heads bigint NOT NULL,
    head_text bigint NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (recording, number, day)
) PARTITION BY RANGE (day);
ALTER TABLE lockscope_history.frame ALTER COLUMN data SET STORAGE EXTERNAL; -- it is compressed
-- With the figures of a strip: the frames of one recording lie far apart, between those of all others.
CREATE INDEX IF NOT EXISTS frame_taken ON lockscope_history.frame (recording, taken_us, number)
INCLUDE (segment, interval_ms, sessions, locks, waiting, longest_ms, longest_exact, heads);
CREATE INDEX IF NOT EXISTS frame_gap ON lockscope_history.frame (recording, segment, taken_us, number) WHERE after_gap > 0;
CREATE INDEX IF NOT EXISTS frame_key ON lockscope_history.frame (recording, segment, taken_us, number, after_gap) WHERE number = key_frame;
CREATE INDEX IF NOT EXISTS frame_waiting ON lockscope_history.frame (recording, taken_us) WHERE waiting > 0;

CREATE TABLE IF NOT EXISTS lockscope_history.event (
    day date NOT NULL,
    recording bigint NOT NULL,
    id bigint NOT NULL,
    at_us bigint NOT NULL,
    noted_us bigint NOT NULL,
    kind text NOT NULL,
    what text NOT NULL,
    detail text NOT NULL,
    source_key text,
    PRIMARY KEY (recording, id, day)
) PARTITION BY RANGE (day);
CREATE INDEX IF NOT EXISTS event_at ON lockscope_history.event (recording, at_us);

-- What surrounds locks: see schema/recording/install.sql.
CREATE TABLE IF NOT EXISTS lockscope_history.surroundings (
    day date NOT NULL,
    recording bigint NOT NULL,
    id bigint NOT NULL,
    taken_us bigint NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    value bigint NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (recording, id, day)
) PARTITION BY RANGE (day);
CREATE INDEX IF NOT EXISTS surroundings_taken ON lockscope_history.surroundings (recording, taken_us);

CREATE TABLE IF NOT EXISTS lockscope_history.stored_text (
    day date NOT NULL,
    recording bigint NOT NULL,
    id bigint NOT NULL,
    value text,
    bytes bytea, -- instead, in UTF-8, if it has a character 0, which no text here may have
    PRIMARY KEY (recording, id, day)
) PARTITION BY RANGE (day);

CREATE TABLE IF NOT EXISTS lockscope_history.resource (
    day date NOT NULL,
    recording bigint NOT NULL,
    id bigint NOT NULL,
    kind text NOT NULL,
    database_name text NOT NULL,
    name text NOT NULL,
    identity text NOT NULL,
    PRIMARY KEY (recording, id, day)
) PARTITION BY RANGE (day);
-- A name may be longer than a row of an index.
CREATE INDEX IF NOT EXISTS resource_name ON lockscope_history.resource (hashtextextended(name, 0), recording);
CREATE INDEX IF NOT EXISTS resource_identity ON lockscope_history.resource (hashtextextended(identity, 0), recording);

CREATE TABLE IF NOT EXISTS lockscope_history.party (
    day date NOT NULL,
    recording bigint NOT NULL,
    id bigint NOT NULL,
    session bigint NOT NULL,
    started_us bigint NOT NULL,
    user_name text NOT NULL,
    program text NOT NULL,
    host text NOT NULL,
    PRIMARY KEY (recording, id, day)
) PARTITION BY RANGE (day);
CREATE INDEX IF NOT EXISTS party_session ON lockscope_history.party (recording, session);

-- Who held what, or waited for it, from when to when.
CREATE TABLE IF NOT EXISTS lockscope_history.lock_interval (
    day date NOT NULL,
    recording bigint NOT NULL,
    number bigint NOT NULL,
    resource bigint NOT NULL,
    party bigint NOT NULL,
    mode text NOT NULL,
    waited integer NOT NULL,
    from_us bigint NOT NULL,
    from_exact integer NOT NULL,
    to_us bigint NOT NULL,
    gone_us bigint,
    polls bigint NOT NULL DEFAULT 0,
    doubt bigint NOT NULL DEFAULT 0,
    statement bigint NOT NULL DEFAULT 0, -- the text of its family; 0: not known
    PRIMARY KEY (recording, number, day)
) PARTITION BY RANGE (day);
CREATE INDEX IF NOT EXISTS lock_interval_resource ON lockscope_history.lock_interval (recording, resource, to_us);
CREATE INDEX IF NOT EXISTS lock_interval_to ON lockscope_history.lock_interval (recording, to_us);
CREATE INDEX IF NOT EXISTS lock_interval_party ON lockscope_history.lock_interval (recording, party, to_us);

-- Those that go on: seen until the end of the recording's last segment. Of the day on which its resource and party stand.
CREATE TABLE IF NOT EXISTS lockscope_history.open_interval (
    day date NOT NULL,
    recording bigint NOT NULL,
    id bigint NOT NULL,
    resource bigint NOT NULL,
    party bigint NOT NULL,
    mode text NOT NULL,
    waited integer NOT NULL,
    from_us bigint NOT NULL,
    from_exact integer NOT NULL,
    first_poll bigint NOT NULL DEFAULT 0,
    doubt bigint NOT NULL DEFAULT 0,
    statement bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (recording, id)
);

DO $$
BEGIN
    IF NOT (SELECT bool_and(has_table_privilege(c.oid, 'SELECT') AND has_table_privilege(c.oid, 'INSERT')
            AND has_table_privilege(c.oid, 'UPDATE') AND has_table_privilege(c.oid, 'DELETE'))
        FROM pg_catalog.pg_class AS c WHERE c.relnamespace = 'lockscope_history'::regnamespace AND c.relkind IN ('r', 'p'))
    THEN
        GRANT ALL ON ALL TABLES IN SCHEMA lockscope_history TO CURRENT_USER;
        GRANT ALL ON ALL SEQUENCES IN SCHEMA lockscope_history TO CURRENT_USER;
    END IF;
END $$;

-- Nobody writes into somebody else's recording. For each statement once, also for COPY.
CREATE OR REPLACE FUNCTION lockscope_history.only_own() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM (SELECT DISTINCT a.recording FROM added AS a) AS named
        WHERE NOT EXISTS (
            SELECT FROM lockscope_history.recording AS r WHERE r.key = named.recording AND r.writer = session_user)
    ) THEN
        RAISE EXCEPTION 'A row of a recording that % does not write', session_user USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END $$;

DO $$
DECLARE
    guarded text;
BEGIN
    FOREACH guarded IN ARRAY ARRAY[
        'frame', 'event', 'surroundings', 'stored_text', 'resource', 'party', 'lock_interval', 'open_interval'
    ] LOOP
        CONTINUE WHEN EXISTS (
            SELECT FROM pg_catalog.pg_trigger AS t
            WHERE t.tgrelid = to_regclass(format('lockscope_history.%I', guarded)) AND t.tgname = 'only_own');
        EXECUTE format(
            'CREATE TRIGGER only_own AFTER INSERT ON lockscope_history.%I REFERENCING NEW TABLE AS added '
            'FOR EACH STATEMENT EXECUTE FUNCTION lockscope_history.only_own()', guarded);
    END LOOP;
END $$;

-- The recording of the caller's that has this id, made if it is not there: its key.
CREATE OR REPLACE FUNCTION lockscope_history.begin_recording(
    wanted text, of_server text, of_engine text, began bigint, is_redacted integer, by_program text, by_host text,
    at_place text DEFAULT '', of_cluster text DEFAULT ''
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known record;
BEGIN
    -- Every reader reads all of these.
    IF greatest(char_length(of_server), char_length(of_engine), char_length(by_program), char_length(by_host),
        char_length(at_place), char_length(of_cluster)) > 4096 THEN
        RAISE EXCEPTION 'No name is so long' USING ERRCODE = 'string_data_right_truncation';
    END IF;
    INSERT INTO lockscope_history.recording (writer, id, server, engine, began_us, redacted, program, host, place, cluster)
    VALUES (session_user, wanted, of_server, of_engine, began, is_redacted, by_program, by_host, at_place, of_cluster)
    ON CONFLICT (writer, id) DO NOTHING;
    SELECT r.key, r.server, r.engine INTO STRICT known
    FROM lockscope_history.recording AS r WHERE r.writer = session_user AND r.id = wanted;
    IF known.server <> of_server OR known.engine <> of_engine THEN
        RAISE EXCEPTION 'The recording % is one of %', wanted, known.server USING ERRCODE = 'unique_violation';
    END IF;
    RETURN known.key;
END $$;

-- How far the recording has come; up to the end of the transaction nobody else goes on with it. Open intervals that are gone
-- go: their ids, or NULL for all of them.
CREATE OR REPLACE FUNCTION lockscope_history.begin_batch(wanted bigint, gone bigint []) RETURNS TABLE (
    last_frame bigint, last_taken_us bigint, last_noted_us bigint, last_key_frame bigint, last_day date, last_day_is_there boolean,
    last_interval bigint, last_event bigint, last_surroundings bigint, today date, today_is_there boolean
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
    now_on CONSTANT date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
BEGIN
    PERFORM FROM lockscope_history.recording AS r WHERE r.key = wanted AND r.writer = session_user FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'A recording that is gone, or that % does not write', session_user USING ERRCODE = 'insufficient_privilege';
    END IF;
    DELETE FROM lockscope_history.open_interval AS o
    WHERE o.recording = wanted AND (gone IS NULL OR o.id = ANY (gone));
    RETURN QUERY
    SELECT r.last_frame, r.last_taken_us, r.last_noted_us, r.last_key_frame, r.last_day,
        to_regclass('lockscope_history.frame_' || to_char(r.last_day, 'YYYYMMDD')) IS NOT NULL,
        r.last_interval, r.last_event, r.last_surroundings, now_on,
        to_regclass('lockscope_history.frame_' || to_char(now_on, 'YYYYMMDD')) IS NOT NULL
    FROM lockscope_history.recording AS r WHERE r.key = wanted;
END $$;

-- What the recording has of a day already, to be sent no second time: texts 't', resources 'r', parties 'p'.
CREATE OR REPLACE FUNCTION lockscope_history.sent(wanted bigint, of_day date) RETURNS TABLE (what text, id bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM lockscope_history.recording AS r WHERE r.key = wanted AND r.writer = session_user) THEN
        RAISE EXCEPTION 'A recording that % does not write', session_user USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN QUERY
    SELECT 't'::text, s.id FROM lockscope_history.stored_text AS s WHERE s.recording = wanted AND s.day = of_day
    UNION ALL
    SELECT 'r', s.id FROM lockscope_history.resource AS s WHERE s.recording = wanted AND s.day = of_day
    UNION ALL
    SELECT 'p', s.id FROM lockscope_history.party AS s WHERE s.recording = wanted AND s.day = of_day;
END $$;

-- How far the recording has come now, the segments that it has begun or gone on with, and the failure that still goes on.
CREATE OR REPLACE FUNCTION lockscope_history.end_batch(wanted bigint, news jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
BEGIN
    UPDATE lockscope_history.recording AS r
    SET last_frame = (news ->> 'frame')::bigint, last_taken_us = (news ->> 'taken')::bigint,
        last_noted_us = (news ->> 'noted')::bigint, last_key_frame = (news ->> 'key_frame')::bigint,
        last_day = (news ->> 'day')::date, last_interval = (news ->> 'interval')::bigint,
        last_event = (news ->> 'event')::bigint, last_surroundings = (news ->> 'surroundings')::bigint, written_at = clock_timestamp()
    WHERE r.key = wanted AND r.writer = session_user;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'A recording that % does not write', session_user USING ERRCODE = 'insufficient_privilege';
    END IF;
    INSERT INTO lockscope_history.segment (recording, id, began_us, seen_us, noted_us, host, process_id, end_reason)
    SELECT wanted, (s ->> 'id')::bigint, (s ->> 'began')::bigint, (s ->> 'seen')::bigint, (s ->> 'noted')::bigint,
        s ->> 'host', (s ->> 'process')::bigint, s ->> 'end'
    FROM jsonb_array_elements(news -> 'segments') AS s
    ON CONFLICT (recording, id) DO UPDATE SET seen_us = excluded.seen_us, end_reason = excluded.end_reason;
    -- All of them, if there is a change.
    IF jsonb_typeof(news -> 'pins') = 'array' THEN
        DELETE FROM lockscope_history.pin AS p WHERE p.recording = wanted;
        INSERT INTO lockscope_history.pin (recording, id, from_us, to_us, why)
        SELECT wanted, (n ->> 'id')::bigint, (n ->> 'from')::bigint, (n ->> 'to')::bigint, left(n ->> 'why', 4096)
        FROM jsonb_array_elements(news -> 'pins') AS n
        LIMIT 10000
        ON CONFLICT DO NOTHING;
    END IF;
    -- A failure that goes on is one event, which tells how often it has been tried.
    UPDATE lockscope_history.event AS e SET detail = news #>> '{failure, detail}'
    WHERE e.recording = wanted AND e.id = (news #>> '{failure, id}')::bigint AND e.kind = 'failure';
END $$;

-- A table for a day's rows of a parent, not yet part of it.
CREATE OR REPLACE FUNCTION lockscope_history.make_part(parent text, part text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    given record;
BEGIN
    EXECUTE format(
        'CREATE TABLE lockscope_history.%I (LIKE lockscope_history.%I INCLUDING DEFAULTS INCLUDING STORAGE)', part, parent);
    -- Who may write to a partition by itself would pass by the trigger: also nobody by default privileges.
    EXECUTE format('GRANT ALL ON lockscope_history.%I TO CURRENT_USER', part);
    EXECUTE format('REVOKE ALL ON TYPE lockscope_history.%I FROM PUBLIC', part);
    FOR given IN
        SELECT DISTINCT a.grantee
        FROM pg_catalog.pg_class AS c
        CROSS JOIN LATERAL aclexplode(c.relacl) AS a
        WHERE c.oid = to_regclass(format('lockscope_history.%I', part)) AND a.grantee <> c.relowner
    LOOP
        EXECUTE format('REVOKE ALL ON lockscope_history.%I FROM %s CASCADE', part,
            CASE WHEN given.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(given.grantee)) END);
    END LOOP;
END $$;

-- Attached when it is made: the parent stays readable and writable all the time.
CREATE OR REPLACE FUNCTION lockscope_history.attach_part(parent text, part text, of_day date) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('ALTER TABLE lockscope_history.%I ATTACH PARTITION lockscope_history.%I FOR VALUES FROM (%L) TO (%L)',
        parent, part, of_day, of_day + 1);
END $$;

-- The times that pins keep, each once: they may overlap, and a writer may have made them so that they do ten thousand times.
CREATE OR REPLACE FUNCTION lockscope_history.pinned_times() RETURNS TABLE (recording bigint, from_us bigint, to_us bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    WITH ordered AS (
        SELECT
            p.recording,
            p.from_us,
            p.to_us,
            max(p.to_us) OVER (
                PARTITION BY p.recording ORDER BY p.from_us, p.to_us ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
            ) AS before_us
        FROM lockscope_history.pin AS p
        WHERE p.from_us <= p.to_us
    ),

    numbered AS (
        SELECT
            o.recording,
            o.from_us,
            o.to_us,
            count(*) FILTER (WHERE o.before_us IS NULL OR o.from_us > o.before_us) OVER (
                PARTITION BY o.recording ORDER BY o.from_us, o.to_us ROWS UNBOUNDED PRECEDING
            ) AS span
        FROM ordered AS o
    )

    SELECT n.recording, min(n.from_us), max(n.to_us)
    FROM numbered AS n
    GROUP BY n.recording, n.span;
$$;

-- The frames that pins keep on these days, by their key frames: those taken in that time, with the one that was the latest when
-- it began. What writers wrote may be any number.
CREATE OR REPLACE FUNCTION lockscope_history.pinned_groups(first_day date, last_day date)
RETURNS TABLE (day date, recording bigint, key_frame bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT DISTINCT f.day, f.recording, f.key_frame
    FROM lockscope_history.pinned_times() AS p
    CROSS JOIN LATERAL (
        SELECT e.day, e.recording, e.key_frame
        FROM lockscope_history.frame AS e
        WHERE e.day BETWEEN first_day AND last_day AND e.recording = p.recording
            AND e.taken_us BETWEEN greatest(p.from_us, 0) - 60000000 AND p.to_us
            AND e.taken_us >= greatest(p.from_us, 0) - least(greatest(e.interval_ms, 0), 24000) * 2500
        OFFSET 0 -- by the index, for each time
    ) AS f;
$$;

-- The times in which what was seen stays: what pins say, and those of the frames that they keep, which begin before and end
-- after that. They may overlap. A key frame has fewer than sixty others.
CREATE OR REPLACE FUNCTION lockscope_history.kept_times() RETURNS TABLE (recording bigint, from_us bigint, to_us bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT p.recording, p.from_us, p.to_us
    FROM lockscope_history.pinned_times() AS p
    UNION ALL
    SELECT g.recording, min(f.taken_us), max(f.taken_us)
    FROM lockscope_history.pinned_groups('-infinity', 'infinity') AS g
    CROSS JOIN LATERAL (
        SELECT e.key_frame, e.taken_us
        FROM lockscope_history.frame AS e
        WHERE e.day = g.day AND e.recording = g.recording AND e.number >= g.key_frame
        ORDER BY e.number
        LIMIT 60
    ) AS f
    WHERE f.key_frame = g.key_frame
    GROUP BY g.recording, g.key_frame;
$$;

-- Leaves of a day's table what pins keep: key frames with what follows them, the events, figures and intervals of the time of
-- these, and the names and texts of these recordings. What stays is copied, which is the smaller part.
CREATE OR REPLACE FUNCTION lockscope_history.thin_part(parent text, part text, of_day date) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kept CONSTANT text := part || '_kept';
    -- Each time is looked up in the day's index ("OFFSET 0": and by no other way).
    pinned CONSTANT text := CASE
        WHEN parent = 'frame' THEN '(x.recording, x.key_frame) IN (SELECT g.recording, g.key_frame '
            'FROM lockscope_history.pinned_groups(%3$L, %3$L) AS g)'
        WHEN parent IN ('event', 'surroundings') THEN 'x.ctid IN (SELECT f.place '
            'FROM lockscope_history.kept_times() AS k CROSS JOIN LATERAL (SELECT e.ctid AS place FROM lockscope_history.%1$I AS e '
            'WHERE e.recording = k.recording AND e.%4$I BETWEEN k.from_us AND k.to_us OFFSET 0) AS f)'
        -- Of the times that begin before it ends, whether one ends after it begins: in one walk along both.
        WHEN parent = 'lock_interval' THEN 'x.ctid IN (SELECT b.place FROM (SELECT a.place, a.from_us, max(a.kept_to) OVER '
            '(PARTITION BY a.recording ORDER BY a.at_us, a.place IS NOT NULL) AS kept_to FROM ('
            'SELECT i.recording, i.to_us AS at_us, i.from_us, i.ctid AS place, NULL::bigint AS kept_to '
            'FROM lockscope_history.%1$I AS i WHERE i.recording IN (SELECT p.recording FROM lockscope_history.pin AS p) UNION ALL '
            'SELECT k.recording, k.from_us, NULL, NULL, k.to_us FROM lockscope_history.kept_times() AS k'
            ') AS a) AS b WHERE b.kept_to >= b.from_us)'
        ELSE 'x.recording IN (SELECT p.recording FROM lockscope_history.pin AS p)'
    END;
BEGIN
    PERFORM lockscope_history.make_part(parent, kept);
    EXECUTE format('INSERT INTO lockscope_history.%2$I SELECT x.* FROM lockscope_history.%1$I AS x WHERE ' || pinned,
        part, kept, of_day, CASE parent WHEN 'event' THEN 'at_us' ELSE 'taken_us' END);
    EXECUTE format('DROP TABLE lockscope_history.%I', part);
    EXECUTE format('ALTER TABLE lockscope_history.%I RENAME TO %I', kept, part);
    PERFORM lockscope_history.attach_part(parent, part, of_day);
END $$;

-- Whether pins keep some of the day's frames; whether there are others.
CREATE OR REPLACE FUNCTION lockscope_history.pinned_on(of_day date, OUT some_are boolean, OUT some_are_not boolean)
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    WITH pinned AS MATERIALIZED (
        SELECT g.recording, g.key_frame
        FROM lockscope_history.pinned_groups(of_day, of_day) AS g
    )

    SELECT
        EXISTS (SELECT FROM pinned),
        (SELECT count(*) FROM pinned) < (
            SELECT count(*)
            FROM (SELECT DISTINCT f.recording, f.key_frame FROM lockscope_history.frame AS f WHERE f.day = of_day) AS f);
$$;

-- Makes the partitions of today and tomorrow, and drops those of the days that are too old: no more than the owner's setting
-- says, no matter who calls it. Of a day on which something is pinned that stays, for as long as the setting for pins says. A day
-- that somebody looks at just now goes the next time. Gives the days that it dropped.
CREATE OR REPLACE FUNCTION lockscope_history.keep_days() RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
    today CONSTANT date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
    parents CONSTANT text[] := ARRAY['frame', 'event', 'surroundings', 'stored_text', 'resource', 'party', 'lock_interval'];
    kept integer;
    kept_pinned integer;
    parent text;
    part text;
    old record;
    pinned record;
    dropped integer := 0;
    thinned integer := 0;
BEGIN
    SELECT s.keep_days, s.keep_pinned_days INTO kept, kept_pinned
    FROM lockscope_history.setting AS s WHERE s.one FOR UPDATE SKIP LOCKED; -- in turn
    IF NOT FOUND THEN
        -- Somebody else is at it, or keeps the others from it: no writer has to wait while today's are there.
        IF NOT EXISTS (
            SELECT FROM unnest(parents) AS each (name)
            WHERE to_regclass(format('lockscope_history.%I', each.name || '_' || to_char(today, 'YYYYMMDD'))) IS NULL
        ) THEN
            RETURN 0;
        END IF;
        SELECT s.keep_days, s.keep_pinned_days INTO STRICT kept, kept_pinned
        FROM lockscope_history.setting AS s WHERE s.one FOR UPDATE;
    END IF;
    FOREACH parent IN ARRAY parents LOOP
        FOR ahead IN 0..1 LOOP
            part := parent || '_' || to_char(today + ahead, 'YYYYMMDD');
            CONTINUE WHEN to_regclass(format('lockscope_history.%I', part)) IS NOT NULL;
            PERFORM lockscope_history.make_part(parent, part);
            PERFORM lockscope_history.attach_part(parent, part, today + ahead);
        END LOOP;
    END LOOP;
    FOR old IN
        SELECT to_date(right(c.relname, 8), 'YYYYMMDD') AS day, array_agg(c.relname ORDER BY c.relname) AS names
        FROM pg_catalog.pg_inherits AS i
        INNER JOIN pg_catalog.pg_class AS c ON c.oid = i.inhrelid
        INNER JOIN pg_catalog.pg_class AS p ON p.oid = i.inhparent
        WHERE p.relnamespace = 'lockscope_history'::regnamespace AND p.relname = ANY (parents)
            AND c.relnamespace = p.relnamespace AND c.relkind = 'r' AND c.relname ~ '_[0-9]{8}$'
            AND to_date(right(c.relname, 8), 'YYYYMMDD') < today - kept
        GROUP BY 1
        ORDER BY 1
    LOOP
        BEGIN
            SELECT false AS some_are, false AS some_are_not INTO STRICT pinned;
            IF old.day >= today - kept_pinned THEN
                SELECT p.some_are, p.some_are_not INTO STRICT pinned FROM lockscope_history.pinned_on(old.day) AS p;
            END IF;
            IF pinned.some_are THEN
                CONTINUE WHEN NOT pinned.some_are_not;
                FOREACH part IN ARRAY old.names LOOP
                    PERFORM lockscope_history.thin_part(left(part, -9), part, old.day);
                END LOOP;
                thinned := thinned + 1;
            ELSE
                FOREACH part IN ARRAY old.names LOOP
                    EXECUTE format('DROP TABLE lockscope_history.%I', part);
                END LOOP;
                dropped := dropped + 1;
            END IF;
        EXCEPTION
            -- A day that is too large for the time that a writer gives it must not keep him from writing.
            WHEN lock_not_available OR deadlock_detected THEN
                EXIT;
            WHEN query_canceled THEN
                RETURN dropped;
        END;
    END LOOP;
    IF dropped + thinned > 0 THEN
        BEGIN
            DELETE FROM lockscope_history.segment AS s
            WHERE NOT EXISTS (
                SELECT FROM lockscope_history.frame AS f
                WHERE f.recording = s.recording AND f.taken_us BETWEEN s.began_us AND s.seen_us
                OFFSET 0); -- by the index, for each of them
        EXCEPTION
            -- There may be any number of them: those that stay do no harm, and no writer is kept from his day.
            WHEN lock_not_available OR deadlock_detected OR query_canceled THEN
                NULL;
        END;
        BEGIN
            -- Recordings of which nothing is left, and that nobody has gone on with since or is about to.
            DELETE FROM lockscope_history.recording AS r
            WHERE r.key IN (
                SELECT o.key FROM lockscope_history.recording AS o
                WHERE o.written_at < clock_timestamp() - make_interval(days => kept + 1)
                    AND NOT EXISTS (SELECT FROM lockscope_history.frame AS f WHERE f.recording = o.key OFFSET 0)
                FOR UPDATE SKIP LOCKED);
            DELETE FROM lockscope_history.pin AS p
            WHERE NOT EXISTS (SELECT FROM lockscope_history.recording AS r WHERE r.key = p.recording);
            DELETE FROM lockscope_history.open_interval AS o
            WHERE NOT EXISTS (SELECT FROM lockscope_history.recording AS r WHERE r.key = o.recording);
        EXCEPTION
            WHEN lock_not_available OR deadlock_detected OR query_canceled THEN
                NULL; -- as above
        END;
    END IF;
    RETURN dropped;
END $$;

-- Intervals with those that go on, as history.sql asks for them.
CREATE OR REPLACE VIEW lockscope_history.seen_interval AS
SELECT
    i.recording, i.day, i.resource, i.party, i.mode, i.waited, i.from_us, i.from_exact, i.to_us, i.gone_us,
    0 AS goes_on, i.number, i.polls, i.doubt, i.statement
FROM lockscope_history.lock_interval AS i
UNION ALL
SELECT
    o.recording, o.day, o.resource, o.party, o.mode, o.waited, o.from_us, o.from_exact,
    (SELECT s.seen_us FROM lockscope_history.segment AS s WHERE s.recording = o.recording ORDER BY s.id DESC LIMIT 1),
    NULL::bigint, 1, o.id,
    (SELECT r.last_frame FROM lockscope_history.recording AS r WHERE r.key = o.recording) - o.first_poll + 1, o.doubt, o.statement
FROM lockscope_history.open_interval AS o;

-- Frames behind a gap: those that say so, and key frames without the frame before them, which days that went or were thinned
-- have left. Nearly all key frames have it on their own day.
CREATE OR REPLACE VIEW lockscope_history.behind_gap AS
SELECT f.recording, f.segment, f.taken_us, f.number
FROM lockscope_history.frame AS f
WHERE f.after_gap > 0
UNION ALL
SELECT f.recording, f.segment, f.taken_us, f.number
FROM lockscope_history.frame AS f
WHERE f.number = f.key_frame AND f.after_gap = 0 AND CASE
    WHEN (
        SELECT b.number
        FROM lockscope_history.frame AS b
        WHERE b.recording = f.recording AND b.number = f.number - 1 AND b.day = f.day
    ) IS NOT NULL THEN false
    ELSE (
        SELECT b.number FROM lockscope_history.frame AS b WHERE b.recording = f.recording AND b.number = f.number - 1 LIMIT 1
    ) IS NULL
END;

-- "When was it held, and by whom?"
CREATE OR REPLACE VIEW lockscope_history.lock_history AS
SELECT
    c.server, c.host AS watcher, r.kind, r.database_name, r.name AS lock_name,
    CASE i.waited WHEN 1 THEN 'waited' ELSE 'held' END AS what,
    i.mode, p.session, p.user_name, p.program, p.host,
    to_timestamp(i.from_us / 1000000.0) AS from_time,
    CASE i.from_exact WHEN 1 THEN 'exact' ELSE 'at the latest' END AS from_is,
    to_timestamp(i.to_us / 1000000.0) AS seen_until,
    CASE i.doubt & 1 WHEN 0 THEN (i.to_us - i.from_us) / 1000 END AS at_least_ms, -- NULL: nothing proves it
    i.polls - i.doubt / 2 AS seen_polls, i.polls
FROM lockscope_history.seen_interval AS i
INNER JOIN lockscope_history.recording AS c ON i.recording = c.key
INNER JOIN lockscope_history.resource AS r ON i.recording = r.recording AND i.resource = r.id AND i.day = r.day
INNER JOIN lockscope_history.party AS p ON i.recording = p.recording AND i.party = p.id AND i.day = p.day;

CREATE OR REPLACE VIEW lockscope_history.moment AS
SELECT
    c.server, c.host AS watcher, to_timestamp(f.taken_us / 1000000.0) AS taken, f.sessions, f.locks, f.waiting, f.longest_ms,
    f.heads, t.value AS head
FROM lockscope_history.frame AS f
INNER JOIN lockscope_history.recording AS c ON f.recording = c.key
LEFT JOIN lockscope_history.stored_text AS t ON f.recording = t.recording AND f.head_text = t.id AND f.day = t.day;

-- Who may do what in this schema, and nobody anything else: as lockscope.wrong_rights() of the lock table. Two roles
-- of the server: the reader reads, the writer inserts. A day's tables are nobody's: they are reached by their parents.
-- The program takes this text for its own check of a server, and does not call the function.
CREATE OR REPLACE FUNCTION lockscope_history.wrong_rights(of_table text DEFAULT NULL)
RETURNS TABLE (object text, fault text, mend text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
WITH here AS (
    SELECT n.oid, n.nspname, n.nspowner, n.nspacl
    FROM pg_catalog.pg_namespace AS n
    WHERE n.nspname = 'lockscope_history'
),

-- A role counts from when an installation has let it into the schema.
given (roles, kind, names, privileges, attributes) AS (
    VALUES
    ('reader writer', 'SCHEMA', 'lockscope_history', 'USAGE', ''),
    ('reader writer', 'TABLE', 'schema_version', 'SELECT', ''),
    (
        'reader', 'TABLE',
        'setting recording segment frame event surroundings stored_text resource party lock_interval open_interval pin seen_interval '
        || 'behind_gap lock_history moment',
        'SELECT', ''
    ),
    ('writer', 'TABLE', 'frame event surroundings stored_text resource party lock_interval open_interval', 'INSERT', ''),
    ('writer', 'ROUTINE', 'begin_recording begin_batch sent end_batch keep_days', 'EXECUTE', '')
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

-- Sets these rights, whatever default privileges have given.
CREATE OR REPLACE FUNCTION lockscope_history.set_rights() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    wrong record;
BEGIN
    -- What is taken from one goes from those whom he has given it to, who may have it by the installation too: again, then.
    FOR attempt IN 1..5 LOOP
        FOR wrong IN
            SELECT w.mend FROM lockscope_history.wrong_rights() AS w ORDER BY w.mend DESC -- "REVOKE" before "GRANT"
        LOOP
            EXECUTE wrong.mend;
        END LOOP;
        IF NOT FOUND THEN
            RETURN;
        END IF;
    END LOOP;
    RAISE EXCEPTION 'The rights in the schema lockscope_history can''t be set: %',
        (SELECT string_agg(w.fault, '; ' ORDER BY w.fault) FROM lockscope_history.wrong_rights() AS w)
        USING ERRCODE = 'object_not_in_prerequisite_state';
END $$;

-- What is wrong with the roles of the server that have our names: as lockscope.wrong_roles().
CREATE OR REPLACE FUNCTION lockscope_history.wrong_roles() RETURNS TABLE (role text, at_first boolean, fault text, mend text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
WITH RECURSIVE here AS (
    SELECT n.oid, n.nspname, n.nspowner, n.nspacl
    FROM pg_catalog.pg_namespace AS n
    WHERE n.nspname = 'lockscope_history'
),

ours AS (
    SELECT r.oid, quote_ident(r.rolname) AS shown, r.rolname, r.rolcanlogin, r.rolsuper, r.rolcreaterole, r.rolcreatedb,
        r.rolreplication, r.rolbypassrls
    FROM pg_catalog.pg_roles AS r
    WHERE r.rolname IN ('lockscope_history_reader', 'lockscope_history_writer')
),

-- What gives such a role no more than it is for.
harmless (name, to_role) AS (
    VALUES
    ('pg_monitor', NULL), ('pg_read_all_settings', NULL), ('pg_read_all_stats', NULL), ('pg_stat_scan_tables', NULL),
    ('pg_signal_backend', NULL)
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
GRANT ALL ON ALL ROUTINES IN SCHEMA lockscope_history TO CURRENT_USER;
DO $$
DECLARE
    wanted text;
    faults text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['lockscope_history_reader', 'lockscope_history_writer'] LOOP
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
            EXISTS (SELECT FROM lockscope_history.schema_version)
            AND EXISTS (
                SELECT FROM pg_catalog.pg_namespace AS n
                CROSS JOIN LATERAL aclexplode(n.nspacl) AS a
                INNER JOIN pg_catalog.pg_roles AS r ON r.oid = a.grantee
                WHERE n.nspname = 'lockscope_history' AND r.rolname = wanted)
        ) THEN
            SELECT string_agg(w.fault, '; ' ORDER BY w.fault) INTO faults FROM lockscope_history.wrong_roles() AS w WHERE w.role = wanted;
            IF faults IS NOT NULL THEN
                RAISE EXCEPTION 'The role % is there, and is not what Lockscope makes: %', wanted, faults
                    USING ERRCODE = 'invalid_role_specification',
                    HINT = 'Nothing was changed. Find out who made it and why: DROP ROLE, then install again. Or mend what is told; '
                        'or, if its members may do here what it may, name it in lockscope.adopted_roles.';
            END IF;
        END IF;
        EXECUTE format('GRANT USAGE ON SCHEMA lockscope_history TO %I', wanted);
    END LOOP;
    PERFORM lockscope_history.set_rights();
END $$;

INSERT INTO lockscope_history.schema_version (version) VALUES (1) ON CONFLICT DO NOTHING;
-- The first days.
DO $$
BEGIN
    PERFORM lockscope_history.keep_days();
END $$;
