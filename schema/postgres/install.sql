-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Lockscope's own schema, version 3. Idempotent: run it as often as you like; it brings older versions up to date.
-- Times are the server's clock. Any program may use these tables; see "Locks from any language" in the manual.
-- Run it as one transaction (psql -1 -f): then two that install at once take turns, and a refusal leaves nothing behind.
-- Nothing here is looked up in a schema that others may create objects in. A function that is marked SECURITY DEFINER runs
-- with the rights of the schema's owner, so that who uses the locks needs no right on what keeps them in order.
SET LOCAL search_path = pg_catalog, pg_temp;
SET LOCAL lock_timeout = '60s';
SET LOCAL client_min_messages = 'warning';
-- Two that install at once take turns. Anybody can take this lock, and keep it: nobody waits long for it. Two that meet then
-- are told apart by the tables' own locks, or one of them fails with nothing left behind.
DO $$
BEGIN
    FOR attempt IN 1..50 LOOP
        EXIT WHEN pg_try_advisory_xact_lock(1282368363, 0);
        PERFORM pg_sleep(0.1);
    END LOOP;
END $$;

-- Adopts nothing that somebody else made: whoever owns a function or table in the schema, or a trigger on one, would act with
-- the rights of everybody who uses them. schema/check asks the same on behalf of a connection.
DO $$
DECLARE
    faults text;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'lockscope') THEN
        CREATE SCHEMA lockscope;
        RETURN;
    END IF;
    SELECT string_agg(f.fault, '; ' ORDER BY f.fault) INTO faults
    FROM (
        SELECT format('the schema belongs to %I', r.rolname) AS fault
        FROM pg_catalog.pg_namespace AS n INNER JOIN pg_catalog.pg_roles AS r ON r.oid = n.nspowner
        WHERE n.nspname = 'lockscope' AND r.rolname <> current_user AND NOT r.rolsuper
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
            AND EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.relnamespace = 'lockscope'::regnamespace)
    ) AS f;
    IF faults IS NOT NULL THEN
        RAISE EXCEPTION 'The schema lockscope is not what Lockscope made: %', faults
            USING ERRCODE = 'insufficient_privilege',
            HINT = 'Nothing was changed. Find out who made it and why; remove it or give it another name, then install again.';
    END IF;
END $$;

CREATE TABLE IF NOT EXISTS lockscope.schema_version (
    version integer PRIMARY KEY,
    installed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Drawn by every grant, so that a protected resource can refuse the late write of a former holder.
CREATE SEQUENCE IF NOT EXISTS lockscope.fencing;

-- A row is a lock. Acquire = insert; a unique violation means that somebody else has it, or that others wait for it in the
-- queue. Release = delete with the token. The trigger below sets fencing and login, whatever an insert says.
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
    session_id integer NOT NULL DEFAULT pg_backend_pid()
);

-- The visible queue: who wants a name, since when, in the order of the tickets. A waiter renews its row while it waits.
CREATE TABLE IF NOT EXISTS lockscope.lock_waiter (
    ticket bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
    registered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL,
    owner text NOT NULL DEFAULT session_user,
    host text NOT NULL DEFAULT '',
    program text NOT NULL DEFAULT '',
    process_id bigint NOT NULL DEFAULT 0,
    session_id integer NOT NULL DEFAULT pg_backend_pid()
);

CREATE INDEX IF NOT EXISTS lock_waiter_queue ON lockscope.lock_waiter (name, ticket);

-- Advisory locks are numbers; this keeps the names readable: key = hashtextextended(name, 0).
CREATE TABLE IF NOT EXISTS lockscope.app_lock_name (
    key bigint PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    first_used_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Every dangerous act: who (the login), from where, what, why, the state before, the outcome. Written by the functions and
-- triggers below alone.
CREATE TABLE IF NOT EXISTS lockscope.audit_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    who text NOT NULL,
    origin text NOT NULL,
    act text NOT NULL,
    target text NOT NULL,
    reason text NOT NULL,
    before jsonb NOT NULL,
    outcome text NOT NULL
);

-- Version 2. One row a key: who locks the row (SELECT … FOR UPDATE) in his transaction has the key. Rows stay.
CREATE TABLE IF NOT EXISTS lockscope.surrogate_key (
    key text COLLATE "C" PRIMARY KEY CHECK (char_length(key) BETWEEN 1 AND 255)
);

-- Version 3. The guard of a name: whoever decides about the name locks this row up to the end of his transaction. Only the
-- functions below do; nobody else has a right on it. purge_stale() removes the rows of names that nobody uses.
CREATE TABLE IF NOT EXISTS lockscope.lock_name (name text COLLATE "C" PRIMARY KEY);

-- Version 3. Fencing numbers are epoch * 2^40 + sequence. After a failover to a server that may lack the last commits the
-- server's timeline is another one: the epoch grows, so the numbers never go back. Timeline 0: the server does not tell it.
CREATE TABLE IF NOT EXISTS lockscope.fencing_epoch (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    timeline integer NOT NULL,
    epoch bigint NOT NULL
);

-- Version 3. Columns: the login that took an entry; what readers see of its token; the token that a waiter will use; the
-- entry that an audited act ended.
ALTER TABLE lockscope.lock_entry ADD COLUMN IF NOT EXISTS login name NOT NULL DEFAULT session_user;
ALTER TABLE lockscope.lock_entry ADD COLUMN IF NOT EXISTS
    token_start text NOT NULL GENERATED ALWAYS AS (left(token, 4) || '...') STORED;
ALTER TABLE lockscope.lock_waiter ADD COLUMN IF NOT EXISTS token text NOT NULL DEFAULT '';
ALTER TABLE lockscope.audit_log ADD COLUMN IF NOT EXISTS fencing bigint;
-- The server itself saw what `before` tells: nobody has the last word on it.
ALTER TABLE lockscope.audit_log ADD COLUMN IF NOT EXISTS seen_by_server boolean NOT NULL DEFAULT false;
CREATE INDEX IF NOT EXISTS audit_log_fencing ON lockscope.audit_log (fencing) WHERE fencing IS NOT NULL;
ALTER TABLE lockscope.lock_entry ALTER COLUMN fencing SET DEFAULT 0;

-- Version 3. Times that a program can reckon with: an endless lease would never be purged.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_catalog.pg_constraint WHERE conname = 'lock_entry_times') THEN
        RETURN;
    END IF;
    UPDATE lockscope.lock_entry SET acquired_at = greatest(least(acquired_at, clock_timestamp()), '1970-01-01 00:00:00+00');
    UPDATE lockscope.lock_entry
    SET expires_at = greatest(least(expires_at, '9998-12-31 00:00:00+00'), '1970-01-01 00:00:00+00');
    DELETE FROM lockscope.lock_waiter WHERE expires_at > clock_timestamp() + interval '1 minute';
    ALTER TABLE lockscope.lock_entry ADD CONSTRAINT lock_entry_times CHECK (
        acquired_at >= '1970-01-01 00:00:00+00' AND expires_at >= '1970-01-01 00:00:00+00'
        AND acquired_at < '9999-01-01 00:00:00+00' AND expires_at < '9999-01-01 00:00:00+00');
    ALTER TABLE lockscope.lock_waiter ADD CONSTRAINT lock_waiter_times CHECK (
        registered_at >= '1970-01-01 00:00:00+00' AND expires_at >= '1970-01-01 00:00:00+00'
        AND registered_at < '9999-01-01 00:00:00+00' AND expires_at < '9999-01-01 00:00:00+00');
    -- Texts of a size that everybody can show, and names of application locks that are theirs.
    UPDATE lockscope.lock_entry SET owner = left(owner, 1000), host = left(host, 1000), program = left(program, 1000);
    ALTER TABLE lockscope.lock_entry ADD CONSTRAINT lock_entry_texts CHECK (
        char_length(token) <= 1000 AND char_length(owner) <= 1000 AND char_length(host) <= 1000 AND char_length(program) <= 1000);
    UPDATE lockscope.lock_waiter SET owner = left(owner, 1000), host = left(host, 1000), program = left(program, 1000);
    ALTER TABLE lockscope.lock_waiter ADD CONSTRAINT lock_waiter_texts CHECK (
        char_length(token) <= 1000 AND char_length(owner) <= 1000 AND char_length(host) <= 1000 AND char_length(program) <= 1000);
    DELETE FROM lockscope.app_lock_name WHERE key <> hashtextextended(name, 0);
    ALTER TABLE lockscope.app_lock_name ADD CONSTRAINT app_lock_name_key CHECK (key = hashtextextended(name, 0));
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

-- Whoever takes a name, by function or by plain SQL, goes through here: first the guard, then the queue, then the number.
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
        RAISE EXCEPTION 'A lock is taken in READ COMMITTED: who sees an older state overtakes the queue'
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

-- Takes a name, or says who has it; fencing is null if it was not granted. `waits` queues the caller, who then listens
-- for its turn and calls again with the ticket that it was given and the same token (at least every 10 s, or it drops out
-- of the queue); a newcomer passes the largest bigint. A ticket counts only with its token, in the session that it was given
-- to, or in the next one if that has ended. recheck_us tells when the obstacle in front may end by itself.
-- patience_ms: how long a lock of the server's may be waited for; then error 55P03. Each statement below sees what was
-- committed before the guard was obtained. A refused waiter has locked the holder's row: its release comes after the
-- registration and finds it.
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
        RAISE EXCEPTION 'lockscope.acquire_lock needs READ COMMITTED' USING ERRCODE = 'invalid_transaction_state';
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
    -- The first in line, and the one behind him, look whether who is in front of them has died.
    IF (SELECT count(*) FROM (
            SELECT FROM lockscope.live_waiter AS w
            WHERE w.name = wanted AND w.ticket < my_place LIMIT 2) AS ahead) < 2
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

-- Version 2. Frees whatever is stale and forgets waiters that crashed and names that nobody uses; how many names were freed.
CREATE OR REPLACE FUNCTION lockscope.purge_stale() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '10s' AS $$
DECLARE
    freed bigint;
BEGIN
    -- Whoever has one of these locked decides about it himself.
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

-- Version 3. The only way into the audit: who it was is the login, whatever the caller says of himself in `origin`. An act on
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

-- Version 3. How an act ended: once, by who has put it down, and not long after it.
CREATE OR REPLACE FUNCTION lockscope.audit_outcome(act_id bigint, seen jsonb, ended text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '10s' AS $$
BEGIN
    UPDATE lockscope.audit_log AS a SET outcome = left(ended, 10000), before = coalesce(seen, a.before)
    WHERE a.id = act_id AND a.outcome = 'begun' AND NOT a.seen_by_server AND a.who = session_user
        AND a.at > clock_timestamp() - interval '1 hour';
    RETURN FOUND;
END $$;

-- Version 2. The pair that goes round the work which only one server of a farm may do: an exclusive application lock of
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

-- Version 2. Inside of a transaction: waits (lock_timeout at most) until nobody else has this key, then has it up to the
-- transaction's end. The insert tolerates that somebody else was quicker.
CREATE OR REPLACE FUNCTION lockscope.lock_surrogate_key(wanted text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    INSERT INTO lockscope.surrogate_key (key) VALUES (wanted) ON CONFLICT DO NOTHING;
    PERFORM FROM lockscope.surrogate_key AS k WHERE k.key = wanted FOR UPDATE;
END $$;

-- Version 2. A table that nobody uses but to lock it: "surrogate:" and the given name. Made with the rights of the
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
    IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'lockscope_operator') THEN
        EXECUTE format('GRANT SELECT, UPDATE ON lockscope.%I TO lockscope_operator', full_name);
    END IF;
    IF EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'lockscope_admin') THEN
        EXECUTE format('GRANT SELECT, UPDATE ON lockscope.%I TO lockscope_admin', full_name);
    END IF;
END $$;

-- Version 2. Reports, for eyes and spreadsheets.
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

-- Version 2. Three roles of the server, made by whoever may make roles (an installation by somebody else goes without):
-- the reader looks, but does not see the tokens; the operator takes, frees and purges locks and has his acts recorded, but
-- can't write or change the record; the administrator also makes surrogate tables and clears out what is old. All others may
-- do nothing here, but for the functions on application locks, which the server gives to everybody anyway.
REVOKE ALL ON ALL TABLES IN SCHEMA lockscope FROM PUBLIC;
-- Nor does anybody by default privileges of the server.
DO $$
DECLARE
    given record;
BEGIN
    FOR given IN
        SELECT DISTINCT c.oid::regclass AS object, r.rolname
        FROM pg_catalog.pg_class AS c
        CROSS JOIN LATERAL aclexplode(c.relacl) AS a
        INNER JOIN pg_catalog.pg_roles AS r ON r.oid = a.grantee
        WHERE c.relnamespace = 'lockscope'::regnamespace AND c.relkind = 'r' AND a.grantee <> c.relowner
            AND c.relname IN ('audit_log', 'lock_name', 'fencing_epoch', 'schema_version')
    LOOP
        EXECUTE format('REVOKE INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER ON %s FROM %I', given.object, given.rolname);
    END LOOP;
END $$;

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA lockscope FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lockscope.acquire_app_lock(text, integer), lockscope.release_app_lock(text) TO PUBLIC;

DO $$
DECLARE
    wanted text;
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
        EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA lockscope FROM %I', wanted);
        EXECUTE format('GRANT USAGE ON SCHEMA lockscope TO %I', wanted);
        EXECUTE format(
            'GRANT SELECT ON lockscope.schema_version, lockscope.app_lock_name, lockscope.audit_log, lockscope.surrogate_key, '
            'lockscope.fencing_epoch, lockscope.holders, lockscope.waiters, lockscope.stale, lockscope.audit TO %I', wanted);
        EXECUTE format(
            'GRANT SELECT (name, fencing, acquired_at, expires_at, owner, host, program, process_id, session_id, login, '
            'token_start) '
            'ON lockscope.lock_entry TO %I', wanted);
        EXECUTE format(
            'GRANT SELECT (ticket, name, registered_at, expires_at, owner, host, program, process_id, session_id) '
            'ON lockscope.lock_waiter TO %I', wanted);
        CONTINUE WHEN wanted = 'lockscope_reader';
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON lockscope.lock_entry TO %I', wanted);
        -- The ticket is the place in the queue: the server gives it.
        EXECUTE format(
            'GRANT SELECT, DELETE, INSERT (name, token, expires_at, owner, host, program, process_id), '
            'UPDATE (expires_at, session_id) ON lockscope.lock_waiter TO %I', wanted);
        EXECUTE format('GRANT SELECT ON lockscope.live_waiter TO %I', wanted);
        EXECUTE format('GRANT INSERT ON lockscope.app_lock_name TO %I', wanted);
        EXECUTE format('GRANT INSERT, UPDATE ON lockscope.surrogate_key TO %I', wanted);
        EXECUTE format(
            'GRANT EXECUTE ON FUNCTION lockscope.acquire_lock, lockscope.release_lock, lockscope.renew_lock, '
            'lockscope.leave_queue, lockscope.take_guard, lockscope.purge_stale, lockscope.lock_surrogate_key, '
            'lockscope.wake_first_waiter, lockscope.current_epoch, lockscope.audit_act, lockscope.audit_outcome TO %I', wanted);
        CONTINUE WHEN wanted = 'lockscope_operator';
        EXECUTE format('GRANT DELETE ON lockscope.app_lock_name, lockscope.audit_log, lockscope.surrogate_key TO %I', wanted);
        EXECUTE format('GRANT EXECUTE ON FUNCTION lockscope.add_surrogate_table(text) TO %I', wanted);
    END LOOP;
END $$;

INSERT INTO lockscope.schema_version (version) VALUES (3) ON CONFLICT DO NOTHING;
