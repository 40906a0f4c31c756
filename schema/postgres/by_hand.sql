-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Acts as statements for psql, for persons who act there: with the comparisons of our own. What stands in braces is filled in
-- as quoted literals and names. They run with that person's rights and search path: every function, operator and type is named
-- with its schema, so that nothing that somebody else made is found in its place (IN and IS DISTINCT FROM can't be so named).
-- Nobody judges there what a table runs by itself: for frameworks' rows they are offered only where frameworks_admin/strangers
-- finds nothing.

-- name: end_session
-- Ends exactly the session that was shown.
SELECT
    pid,
    usename,
    application_name,
    pg_catalog.pg_terminate_backend(pid) AS ended
FROM pg_catalog.pg_stat_activity
WHERE
    pid OPERATOR(pg_catalog.=) {id}
    AND (extract(epoch FROM backend_start)::numeric OPERATOR(pg_catalog.*) 1000000::numeric)::bigint OPERATOR(pg_catalog.=) {started}
    AND backend_type OPERATOR(pg_catalog.=) 'client backend'
    AND pid OPERATOR(pg_catalog.<>) pg_catalog.pg_backend_pid();

-- name: cancel_session
-- Cancels exactly the statement that was shown.
SELECT
    pid,
    usename,
    application_name,
    pg_catalog.pg_cancel_backend(pid) AS cancelled
FROM pg_catalog.pg_stat_activity
WHERE
    pid OPERATOR(pg_catalog.=) {id}
    AND (extract(epoch FROM backend_start)::numeric OPERATOR(pg_catalog.*) 1000000::numeric)::bigint OPERATOR(pg_catalog.=) {started}
    AND backend_type OPERATOR(pg_catalog.=) 'client backend'
    AND pid OPERATOR(pg_catalog.<>) pg_catalog.pg_backend_pid()
    AND (state OPERATOR(pg_catalog.=) 'active' OR state OPERATOR(pg_catalog.=) 'fastpath function call')
    AND (
        {statement} OPERATOR(pg_catalog.=) 0
        OR (extract(epoch FROM query_start)::numeric OPERATOR(pg_catalog.*) 1000000::numeric)::bigint
        OPERATOR(pg_catalog.=) {statement}
    );

-- name: release_entry
-- Deletes exactly the row that was shown.
DELETE FROM lockscope.lock_entry
WHERE name OPERATOR(pg_catalog.=) {entry} AND fencing OPERATOR(pg_catalog.=) {fencing}
RETURNING name, fencing, owner, host;

-- name: purge_entry
-- Deletes exactly the row that was shown, if it is still stale.
DELETE FROM lockscope.lock_entry
WHERE
    name OPERATOR(pg_catalog.=) {entry}
    AND fencing OPERATOR(pg_catalog.=) {fencing}
    AND expires_at OPERATOR(pg_catalog.<=) pg_catalog.clock_timestamp()
RETURNING name, fencing, owner, host;

-- name: update_row
-- Frees exactly the row of a framework that was shown; nothing is done if several are alike.
UPDATE {table} SET {changes}
WHERE
    {compare}
    AND (
        SELECT pg_catalog.count(*)
        FROM {table}
        WHERE
            {compare}
    ) OPERATOR(pg_catalog.=) 1
RETURNING {values};

-- name: delete_row
-- Frees exactly the row of a framework that was shown; nothing is done if several are alike.
DELETE FROM {table}
WHERE
    {compare}
    AND (
        SELECT pg_catalog.count(*)
        FROM {table}
        WHERE
            {compare}
    ) OPERATOR(pg_catalog.=) 1
RETURNING {values};
