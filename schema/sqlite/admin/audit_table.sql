-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Is the audit table there?
SELECT 1
FROM sqlite_master
WHERE type = 'table' AND name = 'lockscope_audit_log';
