-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What uninstall.sql would destroy: entries of the lock table, waiters, rows of the audit.
SELECT
    (SELECT count(*) FROM lockscope.lock_entry) AS entries,
    (SELECT count(*) FROM lockscope.lock_waiter) AS waiters,
    (SELECT count(*) FROM lockscope.audit_log) AS audit_rows;
