-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A team's history, version 2: what any number of watchers saw of any number of servers, in the schema lockscope_history.
-- Idempotent: run it as often as you like; it brings older versions up to date. Run it as one transaction (psql -1 -f).
-- It wants no superuser and no extension: CREATE on the database is enough. Who may not make roles makes the grants at the
-- end by hand, to roles of his own.
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
-- Two that install at once take turns. Anybody can take this lock, and keep it: nobody waits long for it.
DO $$
BEGIN
    FOR attempt IN 1..50 LOOP
        EXIT WHEN pg_try_advisory_xact_lock(1282368363, 1);
        PERFORM pg_sleep(0.1);
    END LOOP;
END $$;

-- Adopts nothing that somebody else made: whoever owns a function or table in the schema, or a trigger on one, would act with
-- the rights of everybody who uses them. recording/postgres/history/check asks the same on behalf of a connection.
DO $$
DECLARE
    faults text;
BEGIN
    IF (SELECT pg_encoding_to_char(d.encoding) FROM pg_catalog.pg_database AS d WHERE d.datname = current_database()) <> 'UTF8' THEN
        RAISE EXCEPTION 'A history needs a database in UTF8' USING ERRCODE = 'feature_not_supported',
            HINT = 'It keeps texts of other servers: CREATE DATABASE … ENCODING ''UTF8'' TEMPLATE template0.';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'lockscope_history') THEN
        CREATE SCHEMA lockscope_history;
        RETURN;
    END IF;
    SELECT string_agg(f.fault, '; ' ORDER BY f.fault) INTO faults
    FROM (
        SELECT format('the schema belongs to %I', r.rolname) AS fault
        FROM pg_catalog.pg_namespace AS n INNER JOIN pg_catalog.pg_roles AS r ON r.oid = n.nspowner
        WHERE n.nspname = 'lockscope_history' AND r.rolname <> current_user AND NOT r.rolsuper
            AND (NOT pg_has_role(current_user, r.oid, 'USAGE')
                OR (SELECT me.rolsuper FROM pg_catalog.pg_roles AS me WHERE me.rolname = current_user))
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
            AND EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.relnamespace = 'lockscope_history'::regnamespace)
    ) AS f;
    IF faults IS NOT NULL THEN
        RAISE EXCEPTION 'The schema lockscope_history is not what Lockscope made: %', faults
            USING ERRCODE = 'insufficient_privilege',
            HINT = 'Nothing was changed. Find out who made it and why; remove it or give it another name, then install again.';
    END IF;
END $$;

CREATE TABLE IF NOT EXISTS lockscope_history.schema_version (
    version integer PRIMARY KEY,
    installed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- How long a day is kept: for the schema's owner to change.
CREATE TABLE IF NOT EXISTS lockscope_history.setting (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    keep_days integer NOT NULL DEFAULT 30 CHECK (keep_days BETWEEN 1 AND 36500)
);
INSERT INTO lockscope_history.setting DEFAULT VALUES ON CONFLICT DO NOTHING;
-- And how long what writers have pinned: they alone must not be able to keep things for ever.
ALTER TABLE lockscope_history.setting
ADD COLUMN IF NOT EXISTS keep_pinned_days integer NOT NULL DEFAULT 365 CHECK (keep_pinned_days BETWEEN 1 AND 36500);

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
    UNIQUE (writer, id)
);

-- Which server that is, whatever it is called: engine, hosts with ports, database. Empty: the watcher did not tell.
ALTER TABLE lockscope_history.recording ADD COLUMN IF NOT EXISTS place text NOT NULL DEFAULT '';

-- Kept although older than what is kept else: the pins of the recording's file.
CREATE TABLE IF NOT EXISTS lockscope_history.pin (
    recording bigint NOT NULL,
    id bigint NOT NULL,
    from_us bigint NOT NULL,
    to_us bigint NOT NULL,
    why text NOT NULL,
    PRIMARY KEY (recording, id)
);

-- A stretch of time in which one program watched without interruption.
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

-- A moment: see schema/recording/install.sql.
CREATE TABLE IF NOT EXISTS lockscope_history.frame (
    day date NOT NULL,
    recording bigint NOT NULL,
    number bigint NOT NULL,
    segment bigint NOT NULL,
    key_frame bigint NOT NULL,
    taken_us bigint NOT NULL,
    noted_us bigint NOT NULL,
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
CREATE INDEX IF NOT EXISTS frame_taken ON lockscope_history.frame (recording, taken_us, number);
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
    PRIMARY KEY (recording, id)
);

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
        'frame', 'event', 'stored_text', 'resource', 'party', 'lock_interval', 'open_interval'
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
DROP FUNCTION IF EXISTS lockscope_history.begin_recording(text, text, text, bigint, integer, text, text); -- of version 1
CREATE OR REPLACE FUNCTION lockscope_history.begin_recording(
    wanted text, of_server text, of_engine text, began bigint, is_redacted integer, by_program text, by_host text,
    at_place text DEFAULT ''
) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    known record;
BEGIN
    -- Every reader reads all of these.
    IF greatest(char_length(of_server), char_length(of_engine), char_length(by_program), char_length(by_host),
        char_length(at_place)) > 4096 THEN
        RAISE EXCEPTION 'No name is so long' USING ERRCODE = 'string_data_right_truncation';
    END IF;
    INSERT INTO lockscope_history.recording (writer, id, server, engine, began_us, redacted, program, host, place)
    VALUES (session_user, wanted, of_server, of_engine, began, is_redacted, by_program, by_host, at_place)
    ON CONFLICT (writer, id) DO NOTHING;
    -- A file of a former program has told it by now.
    UPDATE lockscope_history.recording AS r SET place = at_place
    WHERE r.writer = session_user AND r.id = wanted AND r.place = '' AND at_place <> '';
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
    last_interval bigint, last_event bigint, today date, today_is_there boolean
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $$
DECLARE
    now_on CONSTANT date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
BEGIN
    PERFORM FROM lockscope_history.recording AS r WHERE r.key = wanted AND r.writer = session_user FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'A recording that % does not write', session_user USING ERRCODE = 'insufficient_privilege';
    END IF;
    DELETE FROM lockscope_history.open_interval AS o
    WHERE o.recording = wanted AND (gone IS NULL OR o.id = ANY (gone));
    RETURN QUERY
    SELECT r.last_frame, r.last_taken_us, r.last_noted_us, r.last_key_frame, r.last_day,
        to_regclass('lockscope_history.frame_' || to_char(r.last_day, 'YYYYMMDD')) IS NOT NULL,
        r.last_interval, r.last_event, now_on,
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
        last_event = (news ->> 'event')::bigint, written_at = clock_timestamp()
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
    FOR given IN
        SELECT DISTINCT a.grantee
        FROM pg_catalog.pg_class AS c
        CROSS JOIN LATERAL aclexplode(c.relacl) AS a
        WHERE c.oid = to_regclass(format('lockscope_history.%I', part)) AND a.grantee <> c.relowner
    LOOP
        EXECUTE format('REVOKE ALL ON lockscope_history.%I FROM %s', part,
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

-- Leaves of a day's table what pins keep: key frames with what follows them, the events and intervals of that time, and the
-- names and texts of these recordings. What stays is copied, which is the smaller part.
CREATE OR REPLACE FUNCTION lockscope_history.thin_part(parent text, part text, of_day date) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    kept CONSTANT text := part || '_kept';
    -- Each time is looked up in the day's index ("OFFSET 0": and by no other way).
    pinned CONSTANT text := CASE parent
        WHEN 'frame' THEN '(x.recording, x.key_frame) IN (SELECT f.recording, f.key_frame '
            'FROM lockscope_history.pinned_times() AS p CROSS JOIN LATERAL (SELECT * FROM lockscope_history.%1$I AS e '
            'WHERE e.recording = p.recording AND e.taken_us BETWEEN p.from_us AND p.to_us OFFSET 0) AS f)'
        WHEN 'event' THEN 'x.ctid IN (SELECT f.place '
            'FROM lockscope_history.pinned_times() AS p CROSS JOIN LATERAL (SELECT e.ctid AS place FROM lockscope_history.%1$I AS e '
            'WHERE e.recording = p.recording AND e.at_us BETWEEN p.from_us AND p.to_us OFFSET 0) AS f)'
        -- Of the pins that begin before it ends, whether one ends after it begins: in one walk along both.
        WHEN 'lock_interval' THEN 'x.ctid IN (SELECT b.place FROM (SELECT a.place, a.from_us, max(a.pinned_to) OVER '
            '(PARTITION BY a.recording ORDER BY a.at_us, a.place IS NOT NULL) AS pinned_to FROM ('
            'SELECT i.recording, i.to_us AS at_us, i.from_us, i.ctid AS place, NULL::bigint AS pinned_to '
            'FROM lockscope_history.%1$I AS i WHERE i.recording IN (SELECT p.recording FROM lockscope_history.pin AS p) UNION ALL '
            'SELECT p.recording, p.from_us, NULL, NULL, p.to_us FROM lockscope_history.pin AS p'
            ') AS a) AS b WHERE b.pinned_to >= b.from_us)'
        ELSE 'x.recording IN (SELECT p.recording FROM lockscope_history.pin AS p)'
    END;
BEGIN
    PERFORM lockscope_history.make_part(parent, kept);
    EXECUTE format('INSERT INTO lockscope_history.%2$I SELECT x.* FROM lockscope_history.%1$I AS x WHERE ' || pinned, part, kept);
    EXECUTE format('DROP TABLE lockscope_history.%I', part);
    EXECUTE format('ALTER TABLE lockscope_history.%I RENAME TO %I', kept, part);
    PERFORM lockscope_history.attach_part(parent, part, of_day);
END $$;

-- Whether pins keep some of the day's frames; whether there are others.
CREATE OR REPLACE FUNCTION lockscope_history.pinned_on(of_day date, OUT some_are boolean, OUT some_are_not boolean)
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
    WITH pinned AS MATERIALIZED (
        SELECT DISTINCT f.recording, f.key_frame
        FROM lockscope_history.pinned_times() AS p
        CROSS JOIN LATERAL (
            SELECT e.recording, e.key_frame
            FROM lockscope_history.frame AS e
            WHERE e.day = of_day AND e.recording = p.recording AND e.taken_us BETWEEN p.from_us AND p.to_us
            OFFSET 0 -- by the index, for each time
        ) AS f
    )

    SELECT
        EXISTS (SELECT FROM pinned),
        (SELECT count(*) FROM pinned) < (
            SELECT count(*)
            FROM (SELECT DISTINCT f.recording, f.key_frame FROM lockscope_history.frame AS f WHERE f.day = of_day) AS f);
$$;

-- Makes the partitions of today and tomorrow, and drops those of the days that are too old: no more than the owner's setting
-- says, whoever calls it. Of a day on which something is pinned that stays, for as long as the setting for pins says. A day
-- that somebody looks at just now goes the next time. Gives the days that it dropped.
CREATE OR REPLACE FUNCTION lockscope_history.keep_days() RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
    today CONSTANT date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
    parents CONSTANT text[] := ARRAY['frame', 'event', 'stored_text', 'resource', 'party', 'lock_interval'];
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
    END IF;
    RETURN dropped;
END $$;

-- Intervals with those that go on, as history.sql asks for them.
CREATE OR REPLACE VIEW lockscope_history.seen_interval AS
SELECT
    i.recording, i.day, i.resource, i.party, i.mode, i.waited, i.from_us, i.from_exact, i.to_us, i.gone_us,
    0 AS goes_on, i.number
FROM lockscope_history.lock_interval AS i
UNION ALL
SELECT
    o.recording, o.day, o.resource, o.party, o.mode, o.waited, o.from_us, o.from_exact,
    (SELECT s.seen_us FROM lockscope_history.segment AS s WHERE s.recording = o.recording ORDER BY s.id DESC LIMIT 1),
    NULL::bigint, 1, o.id
FROM lockscope_history.open_interval AS o;

-- "When was it held, and by whom?"
CREATE OR REPLACE VIEW lockscope_history.lock_history AS
SELECT
    c.server, c.host AS watcher, r.kind, r.database_name, r.name AS lock_name,
    CASE i.waited WHEN 1 THEN 'waited' ELSE 'held' END AS what,
    i.mode, p.session, p.user_name, p.program, p.host,
    to_timestamp(i.from_us / 1000000.0) AS from_time,
    CASE i.from_exact WHEN 1 THEN 'exact' ELSE 'at the latest' END AS from_is,
    to_timestamp(i.to_us / 1000000.0) AS seen_until,
    (i.to_us - i.from_us) / 1000 AS at_least_ms
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

-- Two roles of the server, made by whoever may make roles (an installation by somebody else goes without).
REVOKE ALL ON ALL TABLES IN SCHEMA lockscope_history FROM PUBLIC;
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA lockscope_history FROM PUBLIC;
-- Nor does anybody have a right by default privileges of the server.
DO $$
DECLARE
    given record;
BEGIN
    FOR given IN
        SELECT DISTINCT c.oid::regclass AS object, r.rolname
        FROM pg_catalog.pg_class AS c
        CROSS JOIN LATERAL aclexplode(c.relacl) AS a
        INNER JOIN pg_catalog.pg_roles AS r ON r.oid = a.grantee
        WHERE c.relnamespace = 'lockscope_history'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND a.grantee <> c.relowner
            AND r.rolname NOT IN ('lockscope_history_reader', 'lockscope_history_writer')
    LOOP
        EXECUTE format('REVOKE INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER ON %s FROM %I', given.object, given.rolname);
    END LOOP;
END $$;

DO $$
DECLARE
    wanted text;
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
        EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA lockscope_history FROM %I', wanted);
        EXECUTE format('GRANT USAGE ON SCHEMA lockscope_history TO %I', wanted);
        EXECUTE format('GRANT SELECT ON lockscope_history.schema_version TO %I', wanted);
    END LOOP;
    IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'lockscope_history_reader') THEN
        GRANT SELECT ON lockscope_history.setting, lockscope_history.recording, lockscope_history.segment,
            lockscope_history.frame, lockscope_history.event, lockscope_history.stored_text, lockscope_history.resource,
            lockscope_history.party, lockscope_history.lock_interval, lockscope_history.open_interval, lockscope_history.pin,
            lockscope_history.seen_interval, lockscope_history.lock_history, lockscope_history.moment TO lockscope_history_reader;
    END IF;
    IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'lockscope_history_writer') THEN
        GRANT INSERT ON lockscope_history.frame, lockscope_history.event, lockscope_history.stored_text,
            lockscope_history.resource, lockscope_history.party, lockscope_history.lock_interval,
            lockscope_history.open_interval TO lockscope_history_writer;
        GRANT EXECUTE ON FUNCTION lockscope_history.begin_recording, lockscope_history.begin_batch, lockscope_history.sent,
            lockscope_history.end_batch, lockscope_history.keep_days TO lockscope_history_writer;
    END IF;
END $$;

INSERT INTO lockscope_history.schema_version (version) VALUES (2) ON CONFLICT DO NOTHING;
-- The first days.
DO $$
BEGIN
    PERFORM lockscope_history.keep_days();
END $$;
