-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Whom the schema lockscope belongs to.
SELECT pg_catalog.pg_get_userbyid(nspowner)::text
FROM pg_catalog.pg_namespace
WHERE nspname = 'lockscope';
