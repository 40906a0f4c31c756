-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Names of roles. $1: their oids, as an array literal.
SELECT
    oid::bigint,
    rolname::text
FROM pg_catalog.pg_roles
WHERE oid = ANY($1::text::oid[]);
