-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Which of our tables are there, and may we read them? From the catalogue: to_regclass raises an error where the schema
-- itself is closed to us.
SELECT
    c.relname::text,
    has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
WHERE n.nspname = 'lockscope' AND c.relname IN ('lock_entry', 'lock_waiter', 'app_lock_name');
