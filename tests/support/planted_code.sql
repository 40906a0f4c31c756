-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Plants, in a table called shedlock for each kind and planter, each kind of object that can carry an expression or code. What
-- is planted writes "planted code ran: …" to the server's log, with the application's name, as soon as it runs; a transaction that
-- is rolled back or may only read does not hide that. public.planted tells what could be planted.
-- What belongs to a superuser and is named by what they plant writes the same: public.ours… Whoever makes a constraint needs no
-- right to the function in it.
-- Planters: "stranger" owns table and schema; "owner" owns the database, too; "guest" owns the table in a superuser's schema;
-- "trigger" may put triggers on a superuser's table, refer to it and create in its schema. {stranger}, {owner}, {guest},
-- {trigger}: their roles, {password}: what they log in with.
-- Some kinds need a superuser before, who uses what a planter may change, and one after. The input and output of base types and
-- the handlers of foreign-data wrappers are in C or the server's own: whoever is given one can't put other code in its place.
CREATE TABLE public.planted (planter text, kind text, fault text);
GRANT SELECT ON public.planted TO PUBLIC;

CREATE FUNCTION public.ours(text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
    RAISE LOG 'planted code ran: ours for "%" as %', current_setting('application_name'), current_user; RETURN $1; END $$;
CREATE FUNCTION public.ours_two(text, text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM public.ours($1); RETURN true; END $$;
CREATE FUNCTION public.ours_pure(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN public.ours($1); END $$;
CREATE FUNCTION public.ours_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM public.ours('x');
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END; END $$;
CREATE OPERATOR public.=>> (LEFTARG = text, RIGHTARG = text, FUNCTION = public.ours_two);
CREATE DOMAIN public.ours_domain AS text CHECK (public.ours(VALUE) IS NOT NULL);
REVOKE EXECUTE ON FUNCTION public.ours_two, public.ours_row FROM PUBLIC;
GRANT EXECUTE ON FUNCTION public.ours_row TO "{trigger}";

CREATE FUNCTION public.plant(planter text, role text, kind text, before text, statements text, after text) RETURNS void
LANGUAGE plpgsql AS $plant$
DECLARE
    place CONSTANT text := planter || '_' || kind;
    ran CONSTANT text := format('BEGIN RAISE LOG %L, current_setting(''application_name''), current_user; RETURN ',
        'planted code ran: ' || place || ' for "%" as %');
    is_own CONSTANT boolean := planter <> 'trigger';
BEGIN
    EXECUTE format('CREATE SCHEMA %I', place);
    EXECUTE format('GRANT ALL ON SCHEMA %I TO %I; GRANT USAGE ON SCHEMA %I TO PUBLIC', place, role, place);
    EXECUTE format('SET LOCAL search_path = %I, pg_catalog', place);
    CREATE TABLE shedlock (name varchar(64) NOT NULL PRIMARY KEY, lock_until timestamp NOT NULL, locked_at timestamp NOT NULL,
        locked_by varchar(255) NOT NULL);
    EXECUTE format('INSERT INTO shedlock VALUES (%L, ''2100-01-01'', ''2026-01-01'', ''host'')', place);
    GRANT SELECT, UPDATE, DELETE ON shedlock TO PUBLIC;
    IF is_own THEN
        EXECUTE format('ALTER TABLE shedlock OWNER TO %I', role);
    ELSE
        EXECUTE format('GRANT TRIGGER, REFERENCES ON shedlock TO %I', role);
    END IF;
    IF planter IN ('stranger', 'owner') THEN
        EXECUTE format('ALTER SCHEMA %I OWNER TO %I', place, role);
    END IF;
    BEGIN
        EXECUTE format('SET LOCAL ROLE %I', role);
        EXECUTE 'CREATE FUNCTION evil(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS ' || quote_literal(ran || '$1; END');
        EXECUTE 'CREATE FUNCTION evil_bool(text) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS ' || quote_literal(ran || 'true; END');
        EXECUTE 'CREATE FUNCTION evil_two(text, text) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS '
            || quote_literal(ran || 'true; END');
        EXECUTE 'CREATE FUNCTION evil_join(text, text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS '
            || quote_literal(ran || '$2; END');
        EXECUTE 'CREATE FUNCTION evil_row() RETURNS trigger LANGUAGE plpgsql AS '
            || quote_literal(ran || 'CASE TG_OP WHEN ''DELETE'' THEN OLD ELSE NEW END; END');
        EXECUTE 'CREATE FUNCTION evil_order(text, text) RETURNS integer IMMUTABLE LANGUAGE plpgsql AS '
            || quote_literal(ran || 'bttextcmp($1, $2); END');
        EXECUTE 'CREATE FUNCTION evil_hash(text) RETURNS integer IMMUTABLE LANGUAGE plpgsql AS '
            || quote_literal(ran || 'hashtext($1); END');
        RESET ROLE;
        EXECUTE replace(replace(before, '{place}', quote_ident(place)), '{role}', role);
        EXECUTE format('SET LOCAL ROLE %I', role);
        EXECUTE replace(replace(statements, '{place}', quote_ident(place)), '{role}', role);
        RESET ROLE;
        EXECUTE replace(replace(after, '{place}', quote_ident(place)), '{role}', role);
        INSERT INTO public.planted VALUES (planter, kind, NULL);
    EXCEPTION WHEN OTHERS THEN
        RESET ROLE;
        INSERT INTO public.planted VALUES (planter, kind, SQLERRM);
    END;
END $plant$;

SELECT public.plant(p.planter, p.role, k.kind, k.before, k.statements, k.after)
FROM (VALUES
    ('stranger', '{stranger}'), ('owner', '{owner}'), ('guest', '{guest}'), ('trigger', '{trigger}')
) AS p (planter, role)
CROSS JOIN (
    SELECT alone.kind, '' AS before, alone.statements, '' AS after
    FROM (VALUES
    ('nothing', 'SELECT 1'),
    ('index_expression', 'CREATE INDEX ON shedlock (evil(name))'),
    ('index_predicate', 'CREATE INDEX ON shedlock (name) WHERE evil_bool(name)'),
    ('unique_expression', 'CREATE UNIQUE INDEX ON shedlock (evil(locked_by))'),
    ('check', 'ALTER TABLE shedlock ADD CHECK (evil_bool(name)) NOT VALID'),
    ('default', 'ALTER TABLE shedlock ALTER locked_by SET DEFAULT evil(''x'')'),
    ('sequence', 'CREATE SEQUENCE s; ALTER TABLE shedlock ADD n bigint DEFAULT nextval(''s''), ADD m text DEFAULT evil(''x'')'),
    ('stored', 'ALTER TABLE shedlock ADD g text GENERATED ALWAYS AS (evil(name)) STORED'),
    ('virtual', 'ALTER TABLE shedlock ADD g text GENERATED ALWAYS AS (evil(name)) VIRTUAL'),
    ('exclusion', 'ALTER TABLE shedlock ADD EXCLUDE (evil(name) WITH =)'),
    ('statistics', 'CREATE STATISTICS st ON (evil(name)), locked_by FROM shedlock'),
    ('trigger_row', 'CREATE TRIGGER t BEFORE UPDATE OR DELETE ON shedlock FOR EACH ROW EXECUTE FUNCTION evil_row()'),
    ('trigger_after', 'CREATE TRIGGER t AFTER UPDATE OR DELETE ON shedlock FOR EACH ROW EXECUTE FUNCTION evil_row()'),
    ('trigger_statement', 'CREATE TRIGGER t BEFORE UPDATE OR DELETE ON shedlock EXECUTE FUNCTION evil_row()'),
    ('trigger_deferred', 'CREATE CONSTRAINT TRIGGER t AFTER UPDATE OR DELETE ON shedlock DEFERRABLE INITIALLY DEFERRED '
        'FOR EACH ROW EXECUTE FUNCTION evil_row()'),
    ('trigger_transition', 'CREATE TRIGGER t AFTER DELETE ON shedlock REFERENCING OLD TABLE AS o EXECUTE FUNCTION evil_row()'),
    ('trigger_arguments', 'CREATE TRIGGER t BEFORE UPDATE OR DELETE ON shedlock FOR EACH ROW EXECUTE FUNCTION evil_row(''x'')'),
    ('when_update', 'CREATE TRIGGER t BEFORE UPDATE ON shedlock FOR EACH ROW WHEN (evil_bool(OLD.name)) '
        'EXECUTE FUNCTION suppress_redundant_updates_trigger()'),
    ('when_delete', 'CREATE TRIGGER t BEFORE DELETE ON shedlock FOR EACH ROW WHEN (evil_bool(OLD.name)) '
        'EXECUTE FUNCTION suppress_redundant_updates_trigger()'),
    ('when_operator', 'CREATE OPERATOR === (LEFTARG = text, RIGHTARG = text, FUNCTION = {place}.evil_two); '
        'CREATE TRIGGER t BEFORE UPDATE ON shedlock FOR EACH ROW WHEN (OLD.name::text === ''x''::text) '
        'EXECUTE FUNCTION suppress_redundant_updates_trigger()'),
    ('when_cast', 'CREATE TYPE kind AS ENUM (''a''); CREATE FUNCTION as_kind(text) RETURNS kind IMMUTABLE LANGUAGE plpgsql AS '
        '$$ BEGIN PERFORM {place}.evil($1); RETURN ''a''; END $$; CREATE CAST (text AS kind) WITH FUNCTION as_kind(text); '
        'CREATE TRIGGER t BEFORE UPDATE ON shedlock FOR EACH ROW WHEN (OLD.name::text::kind = ''a''::kind) '
        'EXECUTE FUNCTION suppress_redundant_updates_trigger()'),
    ('when_domain', 'CREATE DOMAIN d AS text CHECK ({place}.evil_bool(VALUE)); CREATE TRIGGER t BEFORE UPDATE ON shedlock '
        'FOR EACH ROW WHEN (OLD.name::d IS NOT NULL) EXECUTE FUNCTION suppress_redundant_updates_trigger()'),
    ('when_system', 'CREATE TRIGGER t BEFORE UPDATE ON shedlock FOR EACH ROW WHEN (query_to_xml('
        '''SELECT {place}.evil(''''x'''')'', true, true, '''') IS NOT NULL) EXECUTE FUNCTION suppress_redundant_updates_trigger()'),
    ('when_type_name', 'CREATE DOMAIN d AS text CHECK ({place}.evil_bool(VALUE)); CREATE TRIGGER t BEFORE UPDATE ON shedlock '
        'FOR EACH ROW WHEN (pg_input_is_valid(''x'', ''{place}.d'')) EXECUTE FUNCTION suppress_redundant_updates_trigger()'),
    ('check_system', 'ALTER TABLE shedlock ADD CHECK (query_to_xml(''SELECT {place}.evil(''''x'''')'', true, true, '''') '
        'IS NOT NULL) NOT VALID'),
    ('check_ours', 'ALTER TABLE shedlock ADD CHECK (public.ours(''x'') IS NOT NULL) NOT VALID'),
    ('check_operator_ours', 'ALTER TABLE shedlock ADD CHECK (name::text OPERATOR(public.=>>) ''x''::text) NOT VALID'),
    ('check_domain_ours', 'ALTER TABLE shedlock ADD CHECK (name::public.ours_domain IS NOT NULL) NOT VALID'),
    ('check_of_parent_ours', 'ALTER TABLE shedlock RENAME TO old; CREATE TABLE parent (LIKE old, CHECK (public.ours(name) IS NOT '
        'NULL)); CREATE TABLE shedlock () INHERITS (parent)'),
    ('index_ours', 'CREATE INDEX ON shedlock (public.ours_pure(name))'),
    ('predicate_ours', 'CREATE INDEX ON shedlock (name) WHERE public.ours_pure(name) IS NOT NULL'),
    ('stored_ours', 'ALTER TABLE shedlock ADD g text GENERATED ALWAYS AS (public.ours_pure(name)) STORED'),
    ('statistics_ours', 'CREATE STATISTICS st ON (public.ours_pure(name)), locked_by FROM shedlock'),
    ('column_ours', 'ALTER TABLE shedlock ADD d public.ours_domain[]'),
    ('partition_key_ours', 'ALTER TABLE shedlock RENAME TO old; CREATE TABLE shedlock (LIKE old) PARTITION BY LIST '
        '(public.ours_pure(name)); CREATE TABLE part PARTITION OF shedlock DEFAULT'),
    ('set_default_ours', 'CREATE TABLE follower (name varchar(64) DEFAULT public.ours(NULL) REFERENCES shedlock ON DELETE SET '
        'DEFAULT ON UPDATE SET DEFAULT)'),
    ('set_default_system', 'CREATE TABLE follower (name varchar(64) DEFAULT query_to_xml(''SELECT {place}.evil(''''x'''')'', true, '
        'true, '''')::text REFERENCES shedlock ON DELETE SET DEFAULT ON UPDATE SET DEFAULT)'),
    ('policy_ours', 'CREATE POLICY p ON shedlock USING (public.ours(name) IS NOT NULL); ALTER TABLE shedlock ENABLE ROW LEVEL '
        'SECURITY, FORCE ROW LEVEL SECURITY'),
    ('rule_ours', 'CREATE RULE r AS ON UPDATE TO shedlock DO ALSO SELECT public.ours(''x'')'),
    ('trigger_ours', 'CREATE TRIGGER t BEFORE UPDATE OR DELETE ON shedlock FOR EACH ROW EXECUTE FUNCTION public.ours_row()'),
    ('when_ours', 'CREATE TRIGGER t BEFORE UPDATE ON shedlock FOR EACH ROW WHEN (public.ours(''x'') IS NOT NULL) '
        'EXECUTE FUNCTION suppress_redundant_updates_trigger()'),
    ('when_pure_ours', 'CREATE TRIGGER t BEFORE UPDATE ON shedlock FOR EACH ROW WHEN (public.ours_pure(OLD.name) IS NOT NULL) '
        'EXECUTE FUNCTION suppress_redundant_updates_trigger()'),
    ('when_domain_ours', 'CREATE TRIGGER t BEFORE UPDATE ON shedlock FOR EACH ROW WHEN (OLD.name::public.ours_domain IS NOT NULL) '
        'EXECUTE FUNCTION suppress_redundant_updates_trigger()'),
    ('rule_update', 'CREATE RULE r AS ON UPDATE TO shedlock DO ALSO SELECT evil(''x'')'),
    ('rule_delete', 'CREATE RULE r AS ON DELETE TO shedlock DO ALSO SELECT evil(''x'')'),
    ('rule_instead', 'CREATE RULE r AS ON UPDATE TO shedlock DO INSTEAD SELECT evil(''x'')'),
    ('policy_read', 'CREATE POLICY p ON shedlock FOR SELECT USING (evil_bool(name)); '
        'ALTER TABLE shedlock ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY'),
    ('policy_write', 'CREATE POLICY p ON shedlock USING (true) WITH CHECK (evil_bool(name)); '
        'ALTER TABLE shedlock ENABLE ROW LEVEL SECURITY'),
    ('policy_query', 'CREATE VIEW v AS SELECT evil(''x'') AS e; CREATE POLICY p ON shedlock USING (EXISTS (SELECT e FROM v)); '
        'ALTER TABLE shedlock ENABLE ROW LEVEL SECURITY'),
    ('policy_aggregate', 'CREATE AGGREGATE evil_all(text) (SFUNC = evil_join, STYPE = text); CREATE POLICY p ON shedlock USING '
        '((SELECT evil_all(x) FROM (VALUES (''a'')) AS v (x)) IS NOT NULL); ALTER TABLE shedlock ENABLE ROW LEVEL SECURITY'),
    ('domain', 'CREATE DOMAIN d AS varchar(255) CHECK ({place}.evil_bool(VALUE)); ALTER TABLE shedlock ALTER locked_by TYPE d'),
    ('domain_of_domain', 'CREATE DOMAIN c AS varchar(255) CHECK ({place}.evil_bool(VALUE)); CREATE DOMAIN d AS c; '
        'ALTER TABLE shedlock ALTER locked_by TYPE d'),
    ('domain_array', 'CREATE DOMAIN d AS text CHECK ({place}.evil_bool(VALUE)); ALTER TABLE shedlock ADD a d[]'),
    ('enum_cast', 'CREATE TYPE kind AS ENUM (''a''); CREATE FUNCTION as_text(kind) RETURNS text LANGUAGE plpgsql AS '
        '$$ BEGIN RETURN {place}.evil(''a''); END $$; CREATE CAST (kind AS text) WITH FUNCTION as_text(kind) AS IMPLICIT; '
        'ALTER TABLE shedlock ADD k kind DEFAULT ''a'''),
    ('json_cast', 'CREATE TYPE kind AS ENUM (''a''); CREATE FUNCTION as_json(kind) RETURNS json LANGUAGE plpgsql AS '
        '$$ BEGIN PERFORM {place}.evil(''a''); RETURN ''1''; END $$; CREATE CAST (kind AS json) WITH FUNCTION as_json(kind); '
        'CREATE FUNCTION as_jsonb(kind) RETURNS jsonb LANGUAGE plpgsql AS $$ BEGIN PERFORM {place}.evil(''a''); RETURN ''1''; '
        'END $$; CREATE CAST (kind AS jsonb) WITH FUNCTION as_jsonb(kind); ALTER TABLE shedlock ADD k kind DEFAULT ''a'''),
    ('composite', 'CREATE DOMAIN d AS text CHECK ({place}.evil_bool(VALUE)); CREATE TYPE pair AS (a d, b text); '
        'CREATE FUNCTION as_text(pair) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN {place}.evil(''a''); END $$; '
        'CREATE CAST (pair AS text) WITH FUNCTION as_text(pair); ALTER TABLE shedlock ADD p pair DEFAULT ROW(NULL, ''b'')'),
    ('range', 'CREATE FUNCTION far(text, text) RETURNS float8 IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM {place}.evil($1); '
        'RETURN 1; END $$; CREATE TYPE span AS RANGE (SUBTYPE = text, SUBTYPE_DIFF = far); ALTER TABLE shedlock ADD r span'),
    ('multirange', 'CREATE TYPE span AS RANGE (SUBTYPE = text, MULTIRANGE_TYPE_NAME = spans); ALTER TABLE shedlock ADD r spans'),
    ('typed', 'ALTER TABLE shedlock RENAME TO old; CREATE DOMAIN d AS varchar CHECK ({place}.evil_bool(VALUE)); CREATE TYPE shape '
        'AS (name varchar, lock_until timestamp, locked_at timestamp, locked_by d); CREATE TABLE shedlock OF shape'),
    ('operator_index', 'CREATE OPERATOR === (LEFTARG = text, RIGHTARG = text, FUNCTION = {place}.evil_two); '
        'CREATE INDEX ON shedlock (name) WHERE name::text === ''x''::text'),
    ('collation', 'CREATE COLLATION co FROM "C"; CREATE INDEX ON shedlock (evil(name) COLLATE co)'),
    ('sql_body', 'CREATE FUNCTION outer_one(text) RETURNS text IMMUTABLE LANGUAGE sql BEGIN ATOMIC SELECT {place}.evil($1); END; '
        'CREATE INDEX ON shedlock (outer_one(name))'),
    ('partition_key', 'ALTER TABLE shedlock RENAME TO old; CREATE TABLE parent (LIKE old) PARTITION BY LIST (evil(name)); '
        'CREATE TABLE shedlock PARTITION OF parent DEFAULT'),
    ('partition_default', 'ALTER TABLE shedlock RENAME TO old; CREATE TABLE shedlock (LIKE old) PARTITION BY LIST (evil(name)); '
        'CREATE TABLE part PARTITION OF shedlock DEFAULT'),
    ('partition_part', 'ALTER TABLE shedlock RENAME TO old; CREATE TABLE shedlock (LIKE old) PARTITION BY LIST (name); CREATE TABLE '
        'part PARTITION OF shedlock DEFAULT; CREATE TRIGGER t BEFORE UPDATE ON part FOR EACH ROW EXECUTE FUNCTION evil_row()'),
    ('partition_parent', 'ALTER TABLE shedlock RENAME TO old; CREATE TABLE parent (LIKE old) PARTITION BY LIST (name); CREATE TRIGGER '
        't AFTER UPDATE ON parent FOR EACH ROW EXECUTE FUNCTION evil_row(); CREATE TABLE shedlock PARTITION OF parent DEFAULT'),
    ('inherited_check', 'ALTER TABLE shedlock RENAME TO old; CREATE TABLE parent (LIKE old, CHECK (evil_bool(name))); '
        'CREATE TABLE shedlock () INHERITS (parent)'),
    ('child_index', 'CREATE TABLE child () INHERITS (shedlock); CREATE INDEX ON child (evil(name))'),
    ('cascade', 'CREATE TABLE follower (name varchar(64) REFERENCES shedlock ON UPDATE CASCADE ON DELETE CASCADE); '
        'CREATE TRIGGER t BEFORE UPDATE OR DELETE ON follower FOR EACH ROW EXECUTE FUNCTION evil_row()'),
    ('set_default', 'CREATE TABLE follower (name varchar(64) DEFAULT evil(NULL) REFERENCES shedlock ON DELETE SET DEFAULT)'),
    ('reference', 'CREATE TABLE follower (name varchar(64) REFERENCES shedlock); CREATE INDEX ON follower (evil(name))'),
    ('reference_policy', 'CREATE TABLE follower (name varchar(64) REFERENCES shedlock); CREATE POLICY p ON follower USING '
        '(evil_bool(name)); ALTER TABLE follower ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY'),
    ('referenced', 'CREATE TABLE host (name varchar(255) PRIMARY KEY); CREATE INDEX ON host (evil(name)); '
        'ALTER TABLE shedlock ADD FOREIGN KEY (locked_by) REFERENCES host NOT VALID'),
    ('view', 'ALTER TABLE shedlock RENAME TO old; CREATE VIEW shedlock AS SELECT evil(name)::varchar(64) AS name, lock_until, '
        'locked_at, locked_by FROM old; GRANT SELECT ON shedlock TO PUBLIC'),
    ('view_instead', 'ALTER TABLE shedlock RENAME TO old; CREATE VIEW shedlock AS SELECT name, lock_until, locked_at, locked_by '
        'FROM old; CREATE TRIGGER t INSTEAD OF UPDATE OR DELETE ON shedlock FOR EACH ROW EXECUTE FUNCTION evil_row(); '
        'GRANT ALL ON shedlock TO PUBLIC'),
    ('materialized', 'ALTER TABLE shedlock RENAME TO old; CREATE MATERIALIZED VIEW shedlock AS SELECT * FROM old; '
        'CREATE INDEX ON shedlock (evil(name)); GRANT SELECT ON shedlock TO PUBLIC'),
    ('implicit_cast', 'CREATE TYPE kind AS ENUM (''a''); CREATE FUNCTION as_kind(kind) RETURNS varchar LANGUAGE plpgsql AS '
        '$$ BEGIN RETURN {place}.evil(''a''); END $$; CREATE CAST (kind AS varchar) WITH FUNCTION as_kind(kind) AS IMPLICIT; '
        'ALTER TABLE shedlock ALTER locked_by TYPE kind USING ''a''::kind')
    ) AS alone (kind, statements)
    UNION ALL
    SELECT with_help.kind, with_help.before, with_help.statements, with_help.after
    FROM (VALUES
    ('operator_class', 'CREATE OPERATOR CLASS c FOR TYPE text USING btree AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, '
        'OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 evil_order(text, text)', 'CREATE INDEX ON shedlock (locked_by c)', ''),
    ('operator_class_hash', 'CREATE OPERATOR CLASS c FOR TYPE text USING hash AS OPERATOR 1 =, FUNCTION 1 evil_hash(text)',
        'CREATE INDEX ON shedlock USING hash (locked_by c)', ''),
    ('operator_class_default', 'CREATE TYPE kind AS ENUM (''a''); ALTER TYPE kind OWNER TO "{role}"; '
        'CREATE FUNCTION order_of(kind, kind) RETURNS integer IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN '
        'PERFORM {place}.evil(''x''); RETURN 0; END $$; ALTER FUNCTION order_of OWNER TO "{role}"; '
        'CREATE OPERATOR CLASS c DEFAULT FOR TYPE kind USING btree AS FUNCTION 1 order_of(kind, kind)',
        'ALTER TABLE shedlock ADD k kind DEFAULT ''a''; CREATE INDEX ON shedlock (k)', ''),
    ('base_type', 'CREATE TYPE kind; CREATE FUNCTION kind_in(cstring) RETURNS kind IMMUTABLE STRICT LANGUAGE internal AS '
        '''textin''; CREATE FUNCTION kind_out(kind) RETURNS cstring IMMUTABLE STRICT LANGUAGE internal AS ''textout''; '
        'CREATE TYPE kind (INPUT = kind_in, OUTPUT = kind_out, LIKE = text); ALTER TYPE kind OWNER TO "{role}"; '
        'ALTER FUNCTION kind_in OWNER TO "{role}"; ALTER FUNCTION kind_out OWNER TO "{role}"',
        'CREATE FUNCTION as_text(kind) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN {place}.evil(''a''); END $$; '
        'CREATE CAST (kind AS text) WITH FUNCTION as_text(kind) AS IMPLICIT; ALTER TABLE shedlock ADD k kind DEFAULT ''a''', ''),
    -- A new value becomes the column's type by the planter's function, though the type is a superuser's.
    ('cast_to_column', 'CREATE TYPE kind AS ENUM (''a''); CREATE FUNCTION as_kind(varchar) RETURNS kind LANGUAGE plpgsql AS '
        '$$ BEGIN PERFORM {place}.evil(''a''); RETURN ''a''; END $$; ALTER FUNCTION as_kind OWNER TO "{role}"; '
        'CREATE CAST (varchar AS kind) WITH FUNCTION as_kind(varchar) AS ASSIGNMENT', 'ALTER TABLE shedlock ADD k kind', ''),
    -- As foreign keys are compared.
    ('cast_between', 'CREATE TYPE kind AS ENUM (''a''); CREATE TYPE other AS ENUM (''a''); CREATE FUNCTION as_kind(other) RETURNS '
        'kind IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM {place}.evil(''a''); RETURN ''a''; END $$; ALTER FUNCTION as_kind '
        'OWNER TO "{role}"; CREATE CAST (other AS kind) WITH FUNCTION as_kind(other) AS IMPLICIT', 'ALTER TABLE shedlock ADD k kind', ''),
    ('foreign', 'CREATE FOREIGN DATA WRAPPER {place}_w; GRANT USAGE ON FOREIGN DATA WRAPPER {place}_w TO "{role}"',
        'CREATE SERVER {place}_s FOREIGN DATA WRAPPER {place}_w; ALTER TABLE shedlock RENAME TO old; CREATE FOREIGN TABLE shedlock '
        '(name varchar(64) CHECK ({place}.evil_bool(name)), lock_until timestamp, locked_at timestamp, '
        'locked_by varchar(255) DEFAULT {place}.evil(''x'')) SERVER {place}_s; GRANT SELECT, UPDATE, DELETE ON shedlock TO PUBLIC; '
        'CREATE TRIGGER t BEFORE UPDATE OR DELETE ON shedlock FOR EACH ROW EXECUTE FUNCTION evil_row()', ''),
    ('foreign_part', 'CREATE FOREIGN DATA WRAPPER {place}_w; GRANT USAGE ON FOREIGN DATA WRAPPER {place}_w TO "{role}"',
        'CREATE SERVER {place}_s FOREIGN DATA WRAPPER {place}_w; ALTER TABLE shedlock RENAME TO old; CREATE TABLE shedlock '
        '(LIKE old) PARTITION BY LIST (name); CREATE FOREIGN TABLE part PARTITION OF shedlock DEFAULT SERVER {place}_s; '
        'CREATE TRIGGER t BEFORE UPDATE OR DELETE ON part FOR EACH ROW EXECUTE FUNCTION evil_row()', ''),
    -- What is read there is a view of the planter's, in another session.
    ('foreign_server', 'CREATE EXTENSION IF NOT EXISTS postgres_fdw SCHEMA public; DO $$ BEGIN EXECUTE format(''CREATE SERVER '
        '{place}_s FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L)'', '
        'current_setting(''unix_socket_directories''), current_setting(''port''), current_database()); END $$; '
        'ALTER SERVER {place}_s OWNER TO "{role}"',
        'CREATE USER MAPPING FOR PUBLIC SERVER {place}_s OPTIONS (user ''{role}'', password ''{password}''); '
        'ALTER TABLE shedlock RENAME TO old; CREATE VIEW remote AS SELECT evil(name) AS name, lock_until, locked_at, locked_by '
        'FROM old; CREATE FOREIGN TABLE shedlock (name varchar(64), lock_until timestamp, locked_at timestamp, '
        'locked_by varchar(255)) SERVER {place}_s OPTIONS (schema_name ''{place}'', table_name ''remote''); '
        'GRANT SELECT, UPDATE, DELETE ON shedlock TO PUBLIC', ''),
    -- A function of the table's owner does what the trigger's arguments tell; who made the trigger, nothing tells any more.
    ('trigger_of_the_past', 'CREATE FUNCTION obey() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN EXECUTE TG_ARGV[0]; '
        'RETURN CASE TG_OP WHEN ''DELETE'' THEN OLD ELSE NEW END; END $$', 'CREATE TRIGGER t BEFORE UPDATE OR DELETE ON shedlock '
        'FOR EACH ROW EXECUTE FUNCTION obey(''SELECT {place}.evil(''''x'''')'')', 'REVOKE TRIGGER ON shedlock FROM "{role}"')
    ) AS with_help (kind, before, statements, after)
) AS k;

SELECT format('%s kinds, %s of them planted, %s traps by %s roles', count(DISTINCT kind),
    count(DISTINCT kind) FILTER (WHERE fault IS NULL), count(*) FILTER (WHERE fault IS NULL), count(DISTINCT planter))
FROM public.planted;
