-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Who else has locked a surrogate table ($1 is its quoted name): user, host, program, session.
SELECT a.usename::text, coalesce(a.client_hostname, host(a.client_addr), 'local'), a.application_name, l.pid
FROM pg_locks AS l
JOIN pg_stat_activity AS a ON a.pid = l.pid
WHERE l.locktype = 'relation' AND l.granted AND l.pid <> pg_backend_pid() AND l.relation = to_regclass($1)
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
LIMIT 1
