-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Acts as statements for psql, for persons who act there: with the comparisons of our own. What stands in braces is filled in
-- as quoted literals and names.

-- name: end_session
-- Ends exactly the session that was shown.
SELECT
    pid,
    usename,
    application_name,
    pg_catalog.pg_terminate_backend(pid) AS ended
FROM pg_catalog.pg_stat_activity
WHERE
    pid = {id}
    AND (extract(epoch FROM backend_start) * 1000000)::bigint = {started}
    AND backend_type = 'client backend'
    AND pid <> pg_catalog.pg_backend_pid();

-- name: cancel_session
-- Cancels exactly the statement that was shown.
SELECT
    pid,
    usename,
    application_name,
    pg_catalog.pg_cancel_backend(pid) AS cancelled
FROM pg_catalog.pg_stat_activity
WHERE
    pid = {id}
    AND (extract(epoch FROM backend_start) * 1000000)::bigint = {started}
    AND backend_type = 'client backend'
    AND pid <> pg_catalog.pg_backend_pid()
    AND state IN ('active', 'fastpath function call')
    AND {statement} IN (0, (extract(epoch FROM query_start) * 1000000)::bigint);

-- name: release_entry
-- Deletes exactly the row that was shown.
DELETE FROM lockscope.lock_entry
WHERE name = {entry} AND fencing = {fencing}
RETURNING name, fencing, owner, host;

-- name: purge_entry
-- Deletes exactly the row that was shown, if it is still stale.
DELETE FROM lockscope.lock_entry
WHERE name = {entry} AND fencing = {fencing} AND expires_at <= clock_timestamp()
RETURNING name, fencing, owner, host;

-- name: release_attached
-- Deletes exactly the row that was shown of a table that was there before us.
DELETE FROM {table}
WHERE {name}::text = {entry} AND {time}::text IS NOT DISTINCT FROM {raw}
RETURNING {name}, {time};
