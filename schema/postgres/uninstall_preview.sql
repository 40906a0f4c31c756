-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What uninstall.sql would destroy: entries of the lock table, waiters, rows of the audit, surrogate tables and keys.
SELECT
    (SELECT count(*) FROM lockscope.lock_entry) AS entries,
    (SELECT count(*) FROM lockscope.lock_waiter) AS waiters,
    (SELECT count(*) FROM lockscope.audit_log) AS audit_rows,
    (
        SELECT count(*)
        FROM pg_catalog.pg_class AS c INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
        WHERE n.nspname = 'lockscope' AND c.relkind = 'r' AND c.relname LIKE 'surrogate:%'
    ) AS surrogate_tables,
    (SELECT count(*) FROM lockscope.surrogate_key) AS surrogate_keys;
