-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The tables of a run, and its sequences: what the schema $1 has.
SELECT
    c.relname::text,
    c.relkind = 'S'
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
WHERE n.nspname = $1 AND c.relkind IN ('r', 'S')
ORDER BY c.oid
