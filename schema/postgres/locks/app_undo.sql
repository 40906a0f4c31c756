-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A wait that was interrupted in the very moment of its grant may have left the lock behind: no row if it did not.
SELECT {unlock}(k.key)
FROM (SELECT hashtextextended($1, 0) AS key) AS k
WHERE EXISTS (
    SELECT FROM pg_locks AS l
    WHERE l.pid = pg_backend_pid() AND l.locktype = 'advisory' AND l.granted AND l.objsubid = 1 AND l.mode = $2
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND ((l.classid::bigint << 32) | l.objid::bigint) = k.key)
