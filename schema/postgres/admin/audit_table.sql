-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Is the audit table there? From the catalogue: to_regclass raises an error where the schema is closed to us.
SELECT 1
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
WHERE n.nspname = 'lockscope' AND c.relname = 'audit_log';
