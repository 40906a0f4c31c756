-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Acts as statements for the sqlite3 shell, for persons who act there: with the comparisons of our own. What stands in braces is
-- filled in as quoted literals and names.

-- name: release_entry
-- Deletes exactly the row that was shown.
DELETE FROM lockscope_lock_entry
WHERE name = {entry} AND fencing = {fencing};

-- name: purge_entry
-- Deletes exactly the row that was shown, if it is still stale.
DELETE FROM lockscope_lock_entry
WHERE
    name = {entry}
    AND fencing = {fencing}
    AND expires_at <= CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000;

-- name: release_attached
-- Deletes exactly the row that was shown of a table that was there before us.
DELETE FROM {table}
WHERE CAST({name} AS TEXT) = {entry} AND CAST({time} AS TEXT) IS {raw};
