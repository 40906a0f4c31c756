-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Whether Lockscope's schema is there, of which version, and whether it can be trusted.

-- name: exists
SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'lockscope_schema_version');

-- name: objects
-- What has to do with Lockscope's tables. What SQLite made itself for a key has no statement.
SELECT type, name, tbl_name, sql FROM sqlite_master WHERE lower(substr(tbl_name, 1, 10)) = 'lockscope_' AND sql IS NOT NULL;

-- name: version
SELECT substr(CAST(version AS TEXT), 1, 40) FROM lockscope_schema_version ORDER BY version LIMIT 10;

-- name: uninstall_preview
-- What uninstall.sql would destroy: entries of the lock table, waiters, rows of the audit, no surrogates.
SELECT
    (SELECT count(*) FROM lockscope_lock_entry) AS entries,
    (SELECT count(*) FROM lockscope_lock_waiter) AS waiters,
    (SELECT count(*) FROM lockscope_audit_log) AS audit_rows,
    0 AS surrogate_tables,
    0 AS surrogate_keys;
