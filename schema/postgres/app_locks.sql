-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Application locks: those of the server's own, by name.

-- name: try
-- An application lock, or false at once. {try} is one of the pg_try_advisory… functions.
/* try an application lock */ SELECT {try}(hashtextextended($1, 0));

-- name: release
-- One release for one acquire; false if the session does not hold it.
/* release an application lock */ SELECT {unlock}(hashtextextended($1, 0));

-- name: undo
-- A wait that was interrupted just as it was granted may have left the lock behind: no row if it did not.
SELECT {unlock}(k.key)
FROM (SELECT hashtextextended($1, 0) AS key) AS k
WHERE EXISTS (
    SELECT FROM pg_locks AS l
    WHERE l.pid = pg_backend_pid() AND l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND l.mode = $2
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND ((l.classid::bigint << 32) | l.objid::bigint) = k.key);

-- name: holder
-- Who else holds an application lock: user, host, program, session.
SELECT a.usename::text, coalesce(a.client_hostname, host(a.client_addr), 'local'), a.application_name, l.pid
FROM pg_locks AS l
JOIN pg_stat_activity AS a ON a.pid = l.pid
WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND l.pid <> pg_backend_pid()
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND ((l.classid::bigint << 32) | l.objid::bigint) = hashtextextended($1, 0)
LIMIT 1;

-- name: names_writable
-- Whether names of application locks can be registered: the schema is there and we may write to it. Never fails, so
-- that it is safe inside of somebody's transaction.
SELECT EXISTS (
    SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname = 'lockscope' AND c.relname = 'app_lock_name'
        AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'INSERT'));

-- name: register_name
-- Keeps the name of an application lock readable for the monitor.
INSERT INTO lockscope.app_lock_name (key, name) VALUES (hashtextextended($1, 0), $1) ON CONFLICT DO NOTHING;

-- name: on_standby
-- Is this server a standby? Advisory locks there are its own: no other server of the cluster knows of them.
SELECT pg_catalog.pg_is_in_recovery();

-- name: wait
-- The linter does not know OFFSET without FROM. -- noqa: disable=PRS
-- Waits for an application lock, $2 ms at most ('0' = for ever): 0 = granted at once, 1 = after waiting.
-- lock_timeout is set for this transaction only and put back, so that it ends with this statement, whatever happens.
/* wait for an application lock */ SELECT CASE
    WHEN {try}(a.key) THEN 0
    WHEN set_config('lock_timeout', $2, true) IS NULL THEN NULL
    WHEN {lock}(a.key) IS NULL THEN NULL
    WHEN set_config('lock_timeout', a.timeout_before, true) IS NULL THEN NULL
    ELSE 1
END
FROM (
    SELECT hashtextextended($1, 0) AS key, current_setting('lock_timeout') AS timeout_before
    OFFSET 0
) AS a;
