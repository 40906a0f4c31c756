-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The schemas of all runs, those that crashed among them.
SELECT n.nspname
FROM pg_namespace AS n
WHERE starts_with(n.nspname, 'lockscope_run_')
    AND obj_description(n.oid, 'pg_namespace') = 'Lockscope scenario run'
ORDER BY n.nspname
