-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What uninstall.sql would destroy: entries of the lock table, waiters, rows of the audit, no surrogates.
SELECT
    (SELECT count(*) FROM lockscope_lock_entry) AS entries,
    (SELECT count(*) FROM lockscope_lock_waiter) AS waiters,
    (SELECT count(*) FROM lockscope_audit_log) AS audit_rows,
    0 AS surrogate_tables,
    0 AS surrogate_keys;
