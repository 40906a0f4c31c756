-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Frees the rows by which frameworks lock. {compare}, {changes}, {fields} and {values} are made of quoted names and values by
-- the program (core/admin/ByHand.cpp).

-- name: strangers
-- Is it a table still? What triggers do stays within the file, which their maker could have changed as well.
-- ?1 schema, ?2 table, ?3 and ?4: of other engines.
SELECT
    ?2 AS object,
    ?1 || ?3 || ?4 AS owner,
    'it is no table any more' AS fault
WHERE NOT EXISTS (
    SELECT 1
    FROM sqlite_master
    WHERE type = 'table' AND name = ?2 AND sql NOT LIKE 'CREATE VIRTUAL %'
);

-- name: rows
-- What the row is, as JSON; of several alike two. The transaction keeps others from changing it.
SELECT json_object({fields})
FROM {table}
WHERE {compare}
LIMIT 2;

-- name: update_row
-- Frees exactly the row that was shown.
UPDATE {table} SET {changes}
WHERE {compare};

-- name: delete_row
-- Frees exactly the row that was shown.
DELETE FROM {table}
WHERE {compare};

-- name: row_now
-- What the row of this key has now in the columns that are compared.
SELECT {values}
FROM {table}
WHERE {compare}
LIMIT 2;
