-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Names of relations of this database. $1: their oids, as an array literal.
SELECT
    c.oid::bigint,
    format('%I.%I', n.nspname, c.relname) || CASE c.relkind
        WHEN 'i' THEN ' (index)'
        WHEN 'I' THEN ' (index)'
        WHEN 'S' THEN ' (sequence)'
        WHEN 'v' THEN ' (view)'
        WHEN 'm' THEN ' (materialized view)'
        ELSE ''
    END
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
WHERE c.oid = ANY($1::text::oid[]);
