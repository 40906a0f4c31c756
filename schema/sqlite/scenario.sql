-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The file of a scenario run: what its tables hold.

-- name: columns
-- The tables of a run with their columns, without those that Lockscope has made.
SELECT
    t.name,
    c.name
FROM sqlite_master AS t, pragma_table_info(t.name) AS c
WHERE t.type = 'table' AND t.name NOT LIKE 'lockscope%' AND t.name NOT LIKE 'sqlite%'
ORDER BY t.rowid, c.cid;

-- name: peek
-- The first rows of a table of the run, at most ?1.
SELECT {cells} FROM {table} ORDER BY 1 LIMIT ?1;
