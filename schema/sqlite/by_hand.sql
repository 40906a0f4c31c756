-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Acts as statements for the sqlite3 shell, for persons who act there: with the comparisons of our own. What stands in braces is
-- filled in as quoted literals and names. The deleted row is shown; no row: nothing was deleted.

-- name: release_entry
-- Deletes exactly the row that was shown.
-- Tables of version 1 hold anything: a name that is no text was shown as its bytes, X'…', a fencing number that is none as 0.
DELETE FROM lockscope_lock_entry
WHERE
    (name = {entry} OR 'X''' || hex(name) || '''' = {entry})
    AND CASE typeof(fencing) WHEN 'integer' THEN fencing ELSE 0 END = {fencing}
RETURNING name, fencing, owner, host;

-- name: purge_entry
-- Deletes exactly the row that was shown, if it is still stale.
-- Tables of version 1 hold anything: a name that is no text was shown as its bytes, X'…', a fencing number that is none as 0.
DELETE FROM lockscope_lock_entry
WHERE
    (name = {entry} OR 'X''' || hex(name) || '''' = {entry})
    AND CASE typeof(fencing) WHEN 'integer' THEN fencing ELSE 0 END = {fencing}
    AND expires_at <= CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000
RETURNING name, fencing, owner, host;

-- name: update_row
-- Frees exactly the row of a framework that was shown; nothing is done if several are alike.
UPDATE {table} SET {changes}
WHERE
    {compare}
    AND (
        SELECT count(*)
        FROM {table}
        WHERE
            {compare}
    ) = 1
RETURNING {columns};

-- name: delete_row
-- Frees exactly the row of a framework that was shown; nothing is done if several are alike.
DELETE FROM {table}
WHERE
    {compare}
    AND (
        SELECT count(*)
        FROM {table}
        WHERE
            {compare}
    ) = 1
RETURNING {columns};
