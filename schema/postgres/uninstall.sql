-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Removes what install.sql made, by name; if somebody else put something into the schema, or depends on ours, the whole
-- script fails and nothing is removed.
SET LOCAL search_path = pg_catalog, pg_temp;
SET LOCAL lock_timeout = '60s';
-- As install.sql: in turn, but nobody waits long for a lock that anybody can take.
DO $$
BEGIN
    FOR attempt IN 1..50 LOOP
        EXIT WHEN pg_try_advisory_xact_lock(1282368363, 0);
        PERFORM pg_sleep(0.1);
    END LOOP;
END $$;

-- Programs lock schema_version before anything else of the schema (schema/hold), so it is locked first here, too: in another order
-- they and we could wait for each other.
DO $$
BEGIN
    IF to_regclass('lockscope.schema_version') IS NOT NULL THEN
        LOCK TABLE lockscope.schema_version IN ACCESS EXCLUSIVE MODE;
    END IF;
    IF to_regclass('lockscope.lock_entry') IS NOT NULL THEN
        DROP FUNCTION IF EXISTS lockscope.record_loss(lockscope.lock_entry, text);
    END IF;
END $$;

DROP VIEW IF EXISTS lockscope.holders, lockscope.waiters, lockscope.stale, lockscope.audit, lockscope.live_waiter;
DROP TABLE IF EXISTS lockscope.lock_entry, lockscope.lock_waiter, lockscope.app_lock_name, lockscope.audit_log,
    lockscope.surrogate_key, lockscope.schema_version, lockscope.lock_name, lockscope.fencing_epoch;
DROP SEQUENCE IF EXISTS lockscope.fencing;
DROP FUNCTION IF EXISTS lockscope.acquire_lock(text, text, bigint, boolean, bigint, text, text, text, bigint, bigint),
    lockscope.acquire_lock(text, text, bigint, boolean, bigint, text, text, text, bigint),
    lockscope.release_lock(text, text),
    lockscope.renew_lock(text, text, bigint),
    lockscope.leave_queue(text, text),
    lockscope.lock_entry_taken(),
    lockscope.lock_entry_freed(),
    lockscope.take_guard(text),
    lockscope.current_epoch(),
    lockscope.wake_first_waiter(text),
    lockscope.purge_stale(),
    lockscope.audit_act(text, text, text, text, jsonb, text),
    lockscope.audit_outcome(bigint, jsonb, text),
    lockscope.acquire_app_lock(text, integer),
    lockscope.release_app_lock(text),
    lockscope.lock_surrogate_key(text),
    lockscope.add_surrogate_table(text),
    lockscope.wrong_rights(text),
    lockscope.set_rights(text),
    lockscope.wrong_roles();

-- Those that add_surrogate_table made: one empty table each, of one column. What looks otherwise stays, and with it all.
DO $$
DECLARE
    surrogate name;
BEGIN
    FOR surrogate IN
        SELECT c.relname
        FROM pg_catalog.pg_class AS c INNER JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
        WHERE n.nspname = 'lockscope' AND c.relkind = 'r' AND c.relname LIKE 'surrogate:%' AND c.relowner = n.nspowner
            AND c.relnatts = 1
            AND EXISTS (
                SELECT FROM pg_catalog.pg_attribute AS a
                WHERE a.attrelid = c.oid AND a.attname = 'unused' AND a.atttypid = 'boolean'::regtype)
    LOOP
        EXECUTE format('DROP TABLE lockscope.%I', surrogate);
    END LOOP;
END $$;

DROP SCHEMA IF EXISTS lockscope;

-- The roles go only if an installation made them, with their last database.
DO $$
DECLARE
    ours name;
BEGIN
    FOR ours IN
        SELECT rolname FROM pg_catalog.pg_roles
        WHERE rolname IN ('lockscope_reader', 'lockscope_operator', 'lockscope_admin')
            AND shobj_description(oid, 'pg_authid') = 'Made by Lockscope''s installation.'
    LOOP
        BEGIN
            EXECUTE format('DROP ROLE %I', ours);
        EXCEPTION WHEN dependent_objects_still_exist OR insufficient_privilege OR undefined_object THEN
            NULL;
        END;
    END LOOP;
END $$;
