-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What there is in the file.

-- name: table_columns
-- The columns of its tables and views, in their order: whether a column can hold a lock's name, and whether a time. A
-- column takes values of any type, whatever it is declared as: only what no time can be is left out.
SELECT
    '',
    t.name,
    c.name,
    CASE WHEN upper(c.type) LIKE '%INT%' OR upper(c.type) LIKE '%BLOB%' THEN 0 ELSE 1 END,
    CASE WHEN upper(c.type) LIKE '%BLOB%' THEN 0 ELSE 1 END,
    0
FROM sqlite_master AS t
INNER JOIN pragma_table_info(t.name) AS c
WHERE t.type IN ('table', 'view') AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\'
    AND t.name NOT LIKE 'lockscope\_%' ESCAPE '\'
ORDER BY t.name, c.cid;
