-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Whose transaction has locked the row of a key: user, host, program, session.
SELECT a.usename::text, coalesce(a.client_hostname, host(a.client_addr), 'local'), a.application_name, l.pid
FROM {table} AS s
JOIN pg_locks AS l ON l.transactionid = s.xmax
JOIN pg_stat_activity AS a ON a.pid = l.pid
WHERE s.{key} = $1 AND l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock' AND l.granted
    AND l.pid <> pg_backend_pid()
LIMIT 1
