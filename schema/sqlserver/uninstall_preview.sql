-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What uninstall.sql would destroy: entries of the lock table, waiters, rows of the audit, surrogate tables and keys.
SELECT
    (SELECT COUNT_BIG(*) FROM lockscope.lock_entry) AS entries,
    (SELECT COUNT_BIG(*) FROM lockscope.lock_waiter) AS waiters,
    (SELECT COUNT_BIG(*) FROM lockscope.audit_log) AS audit_rows,
    (
        SELECT COUNT_BIG(*)
        FROM sys.tables AS t
        INNER JOIN sys.schemas AS s ON t.schema_id = s.schema_id
        WHERE s.name = N'lockscope' AND t.name LIKE N'surrogate:%'
    ) AS surrogate_tables,
    (SELECT COUNT_BIG(*) FROM lockscope.surrogate_key) AS surrogate_keys;
