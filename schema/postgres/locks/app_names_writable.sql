-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Whether names of application locks can be registered: the schema is there and we may write to it. Never fails, so
-- that it is safe inside of somebody's transaction.
SELECT EXISTS (
    SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = 'lockscope' AND c.relname = 'app_lock_name'
        AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'INSERT'))
