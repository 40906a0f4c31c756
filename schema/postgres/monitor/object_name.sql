-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What a lock on another catalogued object means. $1 class, $2 object, $3 part of the object.
SELECT pg_catalog.pg_describe_object($1::bigint::oid, $2::bigint::oid, $3::bigint::integer);
