-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Lockscope's own schema, version 2. Idempotent: run it as often as you like; it brings version 1 up to date.
-- Times are the server's clock. Any program may use these tables; see README, "Locks from any language".
-- Run it as one transaction (psql -1 -f): then two that install at once take turns.
SELECT pg_advisory_xact_lock(1282368363, 0);

CREATE SCHEMA IF NOT EXISTS lockscope;

CREATE TABLE IF NOT EXISTS lockscope.schema_version (
    version integer PRIMARY KEY,
    installed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Grows with every grant, so that a protected resource can refuse the late write of a former holder.
CREATE SEQUENCE IF NOT EXISTS lockscope.fencing;

-- A row is a lock. Acquire = insert; a unique violation means that somebody else has it. Release = delete with the token.
CREATE TABLE IF NOT EXISTS lockscope.lock_entry (
    name text COLLATE "C" PRIMARY KEY CHECK (char_length(name) BETWEEN 1 AND 255),
    token text NOT NULL,
    fencing bigint NOT NULL DEFAULT nextval('lockscope.fencing'),
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

-- Every dangerous act: who, from where, what, why, the state before, the outcome.
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

-- The lock protocol for programs of any language. Call these outside of a transaction of your own: a row must be visible
-- to the others at once. "SET enable_seqscan" keeps the index plan: one made while a table was empty would scan it for ever.

-- Wakes the first live waiter: its session listens on the channel that bears its process id, the payload is its ticket.
CREATE OR REPLACE FUNCTION lockscope.wake_first_waiter(wanted text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('lockscope_turn_' || w.session_id, w.ticket::text)
    FROM (
        SELECT session_id, ticket FROM lockscope.lock_waiter
        WHERE name = wanted AND expires_at > clock_timestamp()
        ORDER BY ticket LIMIT 1
    ) AS w;
END $$;

-- By whichever program or operator a name is freed: the first waiter's turn has come.
CREATE OR REPLACE FUNCTION lockscope.lock_entry_freed() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM lockscope.wake_first_waiter(OLD.name);
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER lock_entry_freed AFTER DELETE ON lockscope.lock_entry
    FOR EACH ROW EXECUTE FUNCTION lockscope.lock_entry_freed();

-- Takes a name, or says who has it; fencing is null if it was not granted. `waits` queues the caller, who then listens
-- for its turn and calls again with the ticket that it was given (at least every 10 s, or it drops out of the queue);
-- a newcomer passes the largest bigint. recheck_us tells when the obstacle in front ends by itself.
-- Each statement below sees what was committed before the name guard was obtained. So fencing numbers grow in the order
-- of the grants and nobody overtakes a live waiter. A refused waiter has locked the holder's row: its release comes after
-- the registration and finds it.
CREATE OR REPLACE FUNCTION lockscope.acquire_lock(
    wanted text, new_token text, lease_us bigint, waits boolean, my_ticket bigint,
    my_owner text, my_host text, my_program text, my_process_id bigint,
    OUT fencing bigint, OUT acquired_us bigint, OUT expires_us bigint, OUT ticket bigint, OUT recheck_us bigint,
    OUT holder_owner text, OUT holder_host text, OUT holder_program text, OUT holder_process_id bigint,
    OUT holder_session_id bigint)
LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
    newcomer CONSTANT bigint := 9223372036854775807;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'lockscope.acquire_lock needs READ COMMITTED' USING ERRCODE = 'invalid_transaction_state';
    END IF;
    IF pg_advisory_xact_lock(1282368363, hashtext(wanted)) IS NULL THEN
        RETURN;
    END IF;

    INSERT INTO lockscope.lock_entry AS e (name, token, expires_at, owner, host, program, process_id)
    SELECT wanted, new_token, clock_timestamp() + lease_us * interval '1 microsecond',
        my_owner, my_host, my_program, my_process_id
    WHERE NOT EXISTS (
            SELECT FROM lockscope.lock_waiter AS w
            WHERE w.name = wanted AND w.ticket < my_ticket AND w.expires_at > clock_timestamp())
        -- Spares the many who don't wait a write.
        AND (waits OR NOT EXISTS (
            SELECT FROM lockscope.lock_entry AS held WHERE held.name = wanted AND held.expires_at > clock_timestamp()))
    ON CONFLICT (name) DO UPDATE SET
        token = excluded.token, fencing = excluded.fencing, acquired_at = excluded.acquired_at,
        expires_at = excluded.expires_at, owner = excluded.owner, host = excluded.host, program = excluded.program,
        process_id = excluded.process_id, session_id = excluded.session_id
        WHERE e.expires_at <= clock_timestamp()
    RETURNING e.fencing, (extract(epoch FROM e.acquired_at) * 1000000)::bigint,
        (extract(epoch FROM e.expires_at) * 1000000)::bigint
    INTO fencing, acquired_us, expires_us;
    IF fencing IS NOT NULL THEN
        IF my_ticket <> newcomer THEN
            DELETE FROM lockscope.lock_waiter AS w WHERE w.name = wanted AND w.ticket = my_ticket;
            EXECUTE 'UNLISTEN lockscope_turn_' || pg_backend_pid();
        END IF;
        -- The next one knows when the former holder's lease would have ended, and asks every 3 s anyway.
        IF lease_us < 3000000 THEN
            PERFORM lockscope.wake_first_waiter(wanted);
        END IF;
        RETURN;
    END IF;

    -- The holder; or the waiter whose turn it is, if the name is free but reserved.
    SELECT o.owner, o.host, o.program, o.process_id, o.session_id,
        greatest(0, (extract(epoch FROM o.expires_at - clock_timestamp()) * 1000000)::bigint)
    INTO holder_owner, holder_host, holder_program, holder_process_id, holder_session_id, recheck_us
    FROM (
        SELECT 0 AS place, e.owner, e.host, e.program, e.process_id, e.session_id, e.expires_at
        FROM lockscope.lock_entry AS e WHERE e.name = wanted AND e.expires_at > clock_timestamp()
        UNION ALL
        (SELECT 1, w.owner, w.host, w.program, w.process_id, w.session_id, w.expires_at
        FROM lockscope.lock_waiter AS w
        WHERE w.name = wanted AND w.ticket < my_ticket AND w.expires_at > clock_timestamp()
        ORDER BY w.ticket LIMIT 1)
    ) AS o
    ORDER BY o.place LIMIT 1;
    recheck_us := coalesce(recheck_us, 0);
    IF NOT waits THEN
        RETURN;
    END IF;

    UPDATE lockscope.lock_waiter AS w SET expires_at = clock_timestamp() + interval '10 s'
    WHERE w.name = wanted AND w.ticket = my_ticket;
    IF FOUND THEN
        ticket := my_ticket;
        RETURN;
    END IF;
    DELETE FROM lockscope.lock_waiter AS w WHERE w.name = wanted AND w.expires_at <= clock_timestamp();
    INSERT INTO lockscope.lock_waiter AS w (name, expires_at, owner, host, program, process_id)
    VALUES (wanted, clock_timestamp() + interval '10 s', my_owner, my_host, my_program, my_process_id)
    RETURNING w.ticket INTO ticket;
    EXECUTE 'LISTEN lockscope_turn_' || pg_backend_pid();
END $$;

-- Frees a name; false if the row is not ours any more, and then nothing is touched.
CREATE OR REPLACE FUNCTION lockscope.release_lock(held text, my_token text) RETURNS boolean
LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    DELETE FROM lockscope.lock_entry WHERE name = held AND token = my_token;
    RETURN FOUND;
END $$;

-- Prolongs the lease from now; its new end in microseconds since 1970, or null if the row is not ours any more.
CREATE OR REPLACE FUNCTION lockscope.renew_lock(held text, my_token text, lease_us bigint) RETURNS bigint
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
    new_end timestamptz;
BEGIN
    UPDATE lockscope.lock_entry SET expires_at = clock_timestamp() + lease_us * interval '1 microsecond'
    WHERE name = held AND token = my_token
    RETURNING expires_at INTO new_end;
    RETURN (extract(epoch FROM new_end) * 1000000)::bigint;
END $$;

-- A waiter gives up: takes back its registration and whatever was granted to it meanwhile, and passes its turn on.
CREATE OR REPLACE FUNCTION lockscope.leave_queue(wanted text, my_token text) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(1282368363, hashtext(wanted));
    DELETE FROM lockscope.lock_waiter WHERE name = wanted AND session_id = pg_backend_pid();
    DELETE FROM lockscope.lock_entry WHERE name = wanted AND token = my_token;
    EXECUTE 'UNLISTEN lockscope_turn_' || pg_backend_pid();
    IF NOT EXISTS (SELECT FROM lockscope.lock_entry WHERE name = wanted AND expires_at > clock_timestamp()) THEN
        PERFORM lockscope.wake_first_waiter(wanted);
    END IF;
END $$;

-- Version 2. Frees whatever is stale and forgets waiters that crashed; how many names were freed.
CREATE OR REPLACE FUNCTION lockscope.purge_stale() RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    freed bigint;
BEGIN
    DELETE FROM lockscope.lock_waiter WHERE expires_at <= clock_timestamp();
    DELETE FROM lockscope.lock_entry WHERE expires_at <= clock_timestamp();
    GET DIAGNOSTICS freed = ROW_COUNT;
    RETURN freed;
END $$;

-- Version 2. The pair that goes round the work which only one server of a farm may do: an exclusive application lock of
-- the session. 0 = obtained at once, 1 = after waiting (somebody else did the work just now?), else the error 55P03. It
-- is the same lock as pg_advisory_lock(hashtextextended(name, 0)). "SET lock_timeout" puts the caller's value back.
CREATE OR REPLACE FUNCTION lockscope.acquire_app_lock(wanted text, timeout_ms integer DEFAULT 100000) RETURNS integer
LANGUAGE plpgsql SET lock_timeout = 0 AS $$
DECLARE
    wanted_key CONSTANT bigint := hashtextextended(wanted, 0);
    answer integer := 0;
BEGIN
    IF wanted IS NULL OR char_length(wanted) NOT BETWEEN 1 AND 255 OR timeout_ms < -1 THEN
        RAISE EXCEPTION 'The name of an application lock has 1 to 255 characters, its waiting time is -1, 0 or more ms'
            USING ERRCODE = 'invalid_parameter_value';
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
    IF NOT EXISTS (SELECT FROM lockscope.app_lock_name WHERE key = wanted_key) THEN
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
LANGUAGE sql AS $$
    SELECT pg_advisory_unlock(hashtextextended(held, 0))
$$;

-- Version 2. Inside of a transaction: waits (lock_timeout at most) until nobody else has this key, then has it up to the
-- transaction's end. The insert tolerates that somebody else was quicker.
CREATE OR REPLACE FUNCTION lockscope.lock_surrogate_key(wanted text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO lockscope.surrogate_key (key) VALUES (wanted) ON CONFLICT DO NOTHING;
    PERFORM FROM lockscope.surrogate_key WHERE key = wanted FOR UPDATE;
END $$;

-- Version 2. A table that nobody uses but to lock it: "surrogate:" and the given name. Made with the rights of the
-- schema's owner, so that who calls this needs none of his own.
CREATE OR REPLACE FUNCTION lockscope.add_surrogate_table(wanted text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    full_name CONSTANT text := 'surrogate:' || wanted;
BEGIN
    IF wanted = '' OR octet_length(full_name) > 63 THEN
        RAISE EXCEPTION 'The name of a surrogate table has 1 to 53 bytes' USING ERRCODE = 'name_too_long';
    END IF;
    EXECUTE format('CREATE TABLE IF NOT EXISTS lockscope.%I (unused boolean)', full_name);
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'lockscope_operator') THEN
        EXECUTE format('GRANT SELECT, UPDATE ON lockscope.%I TO lockscope_operator', full_name);
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'lockscope_admin') THEN
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
-- the reader looks; the operator takes, frees and purges locks and writes the audit log but can't change what is in it;
-- the administrator also makes surrogate tables and clears out what is old.
REVOKE EXECUTE ON FUNCTION lockscope.add_surrogate_table(text) FROM PUBLIC;

DO $$
DECLARE
    wanted text;
BEGIN
    FOREACH wanted IN ARRAY ARRAY['lockscope_reader', 'lockscope_operator', 'lockscope_admin'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
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
        EXECUTE format('GRANT USAGE ON SCHEMA lockscope TO %I', wanted);
        EXECUTE format(
            'GRANT SELECT ON lockscope.schema_version, lockscope.lock_entry, lockscope.lock_waiter, '
            'lockscope.app_lock_name, lockscope.audit_log, lockscope.surrogate_key, lockscope.holders, '
            'lockscope.waiters, lockscope.stale, lockscope.audit TO %I', wanted);
        CONTINUE WHEN wanted = 'lockscope_reader';
        EXECUTE format('GRANT INSERT, UPDATE, DELETE ON lockscope.lock_entry, lockscope.lock_waiter TO %I', wanted);
        EXECUTE format('GRANT INSERT ON lockscope.app_lock_name, lockscope.audit_log TO %I', wanted);
        EXECUTE format('GRANT INSERT, UPDATE ON lockscope.surrogate_key TO %I', wanted);
        EXECUTE format('GRANT USAGE ON SEQUENCE lockscope.fencing TO %I', wanted);
        CONTINUE WHEN wanted = 'lockscope_operator';
        EXECUTE format('GRANT DELETE ON lockscope.app_lock_name, lockscope.audit_log, lockscope.surrogate_key TO %I', wanted);
        EXECUTE format('GRANT EXECUTE ON FUNCTION lockscope.add_surrogate_table(text) TO %I', wanted);
    END LOOP;
END $$;

INSERT INTO lockscope.schema_version (version) VALUES (2) ON CONFLICT DO NOTHING;
