-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Names of databases. $1: their oids, as an array literal.
SELECT
    oid::bigint,
    datname::text
FROM pg_catalog.pg_database
WHERE oid = ANY($1::text::oid[]);
