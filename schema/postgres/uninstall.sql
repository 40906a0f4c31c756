-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Removes what install.sql made, by name; if somebody else put something into the schema, or depends on ours, the whole
-- script fails and nothing is removed.
SELECT pg_advisory_xact_lock(1282368363, 0);

DROP TABLE IF EXISTS lockscope.lock_entry, lockscope.lock_waiter, lockscope.app_lock_name, lockscope.audit_log,
    lockscope.schema_version;
DROP SEQUENCE IF EXISTS lockscope.fencing;
DROP FUNCTION IF EXISTS lockscope.acquire_lock(text, text, bigint, boolean, bigint, text, text, text, bigint),
    lockscope.release_lock(text, text),
    lockscope.renew_lock(text, text, bigint),
    lockscope.leave_queue(text, text),
    lockscope.lock_entry_freed();
DROP SCHEMA IF EXISTS lockscope;
