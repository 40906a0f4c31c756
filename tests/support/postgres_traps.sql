-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Run by a role that may create in `public`: functions, operators, types and casts that fit calls of ours better than
-- the system's own, if `public` is searched. Each leaves a file in {directory}, with its name and whose rights it had; only
-- a superuser may write there. {functions} and {operators}: arrays of the names that our texts use.
CREATE FUNCTION public.sprung(what pg_catalog.text) RETURNS pg_catalog.bool LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE format('COPY (SELECT %L, current_user) TO %L', what, '{directory}/' || md5(what));
    RETURN true;
EXCEPTION WHEN insufficient_privilege THEN
    RETURN true;
END $$;

CREATE FUNCTION public.trap_count(pg_catalog.int8) RETURNS pg_catalog.int8 LANGUAGE plpgsql AS $$
BEGIN
    PERFORM public.sprung('count');
    RETURN 0;
END $$;
CREATE AGGREGATE public.count(*) (SFUNC = public.trap_count, STYPE = pg_catalog.int8, INITCOND = '0');

-- The system's functions once more, and variants that take what the system's would have to convert.
DO $do$
DECLARE
    scalars CONSTANT pg_catalog.text[] := ARRAY['int2', 'int4', 'int8', 'float8', 'numeric', 'text', 'name', 'bool', 'oid',
        'xid', 'interval', 'timestamptz', 'jsonb', 'regclass', 'inet', 'record'];
    pairs CONSTANT pg_catalog.text[] := ARRAY['int4', 'int8', 'text', 'name', 'oid'];
    one record;
    made pg_catalog.int4 := 0;
BEGIN
    SET LOCAL search_path = pg_catalog;
    SET LOCAL check_function_bodies = off;
    FOR one IN
        SELECT p.proname, pg_get_function_arguments(p.oid) AS arguments, pg_get_function_result(p.oid) AS result,
            p.proretset OR p.proallargtypes IS NOT NULL OR p.prorettype = 'void'::regtype AS is_bare
        FROM pg_proc AS p
        WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname = ANY({functions})
        UNION ALL
        SELECT f.name, given.arguments, coalesce((
            SELECT format_type(p.prorettype, NULL) FROM pg_proc AS p JOIN pg_type AS t ON t.oid = p.prorettype
            WHERE p.proname = f.name AND p.pronamespace = 'pg_catalog'::regnamespace AND t.typtype = 'b' LIMIT 1), 'text'),
            false
        FROM unnest({functions}) AS f(name)
        CROSS JOIN (
            SELECT a.name AS arguments FROM unnest(scalars) AS a(name) WHERE a.name <> 'record'
            UNION ALL
            SELECT a.name || ', ' || b.name FROM unnest(pairs) AS a(name) CROSS JOIN unnest(pairs) AS b(name)
        ) AS given
    LOOP
        BEGIN
            EXECUTE format('CREATE FUNCTION public.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', one.proname, one.arguments,
                one.result, format('BEGIN PERFORM public.sprung(%L); RETURN%s; END',
                    one.proname || '(' || one.arguments || ')', CASE WHEN one.is_bare THEN '' ELSE ' NULL' END));
            made := made + 1;
        EXCEPTION WHEN OTHERS THEN NULL; -- of a kind that nobody but the system can make, or there already
        END;
    END LOOP;
    IF made < 1000 THEN
        RAISE 'only % functions were planted', made;
    END IF;
END $do$;

-- Each operator for each pair of types, the system's own and such as "double precision * integer".
DO $do$
DECLARE
    types CONSTANT pg_catalog.text[] := ARRAY['int2', 'int4', 'int8', 'float8', 'numeric', 'text', 'name', 'bool', 'oid',
        'xid', 'interval', 'timestamptz', 'jsonb', 'regclass', 'inet', '"char"', 'bool'];
    one record;
    made pg_catalog.int4 := 0;
BEGIN
    SET LOCAL search_path = pg_catalog;
    SET LOCAL check_function_bodies = off;
    FOR one IN
        SELECT o.name, l.name AS l, r.name AS r,
            CASE WHEN o.name ~ '[=<>~]' AND o.name NOT IN ('<<', '>>') THEN 'bool' WHEN o.name = '||' THEN 'text'
                WHEN r.name IN ('interval', 'timestamptz') THEN r.name ELSE l.name END AS result
        FROM unnest({operators}) AS o(name) CROSS JOIN unnest(types) AS l(name) CROSS JOIN unnest(types) AS r(name)
    LOOP
        BEGIN
            EXECUTE format('CREATE FUNCTION public.%I(%s, %s) RETURNS %s LANGUAGE plpgsql AS %L',
                'operator ' || one.name, one.l, one.r, one.result, format('BEGIN PERFORM public.sprung(%L); RETURN NULL; END',
                    format('%s %s %s', one.l, one.name, one.r)));
            EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = public.%I)',
                one.name, one.l, one.r, 'operator ' || one.name);
            made := made + 1;
        EXCEPTION WHEN OTHERS THEN NULL; -- no operator, or there already
        END;
    END LOOP;
    IF made < 1000 THEN
        RAISE 'only % operators were planted', made;
    END IF;
END $do$;

-- Types by the names that are no keywords. {types} 'domain': a cast to one runs its check. 'cast': it runs a function.
DO $do$
DECLARE
    one pg_catalog.text;
    from_type pg_catalog.text;
BEGIN
    SET LOCAL search_path = pg_catalog;
    SET LOCAL check_function_bodies = off;
    FOREACH one IN ARRAY ARRAY['text', 'oid', 'jsonb', 'timestamptz', 'name', 'regclass', 'xid', 'int8'] LOOP
        IF '{types}' = 'domain' THEN
            EXECUTE format('CREATE DOMAIN public.%I AS pg_catalog.%I CHECK (public.sprung(%L))', one, one, 'domain ' || one);
            CONTINUE;
        END IF;
        EXECUTE format('CREATE TYPE public.%I AS (value pg_catalog.text)', one);
        FOREACH from_type IN ARRAY ARRAY['int4', 'int8', 'text', 'name', 'oid', 'timestamptz', 'xid', 'jsonb', 'bool'] LOOP
            EXECUTE format('CREATE FUNCTION public.%I(pg_catalog.%I) RETURNS public.%I LANGUAGE plpgsql AS %L',
                'cast to ' || one, from_type, one, format('BEGIN PERFORM public.sprung(%L); RETURN NULL; END',
                    format('cast of %s to %s', from_type, one)));
            EXECUTE format('CREATE CAST (pg_catalog.%I AS public.%I) WITH FUNCTION public.%I(pg_catalog.%I) AS IMPLICIT',
                from_type, one, 'cast to ' || one, from_type);
        END LOOP;
    END LOOP;
END $do$
