-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What the check of a server asks.

-- name: session
-- Who this session is, how it came in, what it may see and do, and the settings that decide about locks.
SELECT
    session_user::text,
    current_user::text,
    (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user),
    pg_catalog.pg_has_role(current_user, 'pg_read_all_stats', 'USAGE'),
    pg_catalog.pg_has_role(current_user, 'pg_signal_backend', 'USAGE'),
    (
        SELECT string_agg(rolname::text, ', ' ORDER BY rolname)
        FROM pg_catalog.pg_roles
        WHERE
            rolname IN ('lockscope_reader', 'lockscope_operator', 'lockscope_admin')
            AND pg_catalog.pg_has_role(current_user, oid, 'USAGE')
    ),
    current_database()::text,
    pg_catalog.pg_encoding_to_char(encoding),
    datcollate::text,
    pg_catalog.pg_is_in_recovery(),
    coalesce(host(pg_catalog.inet_server_addr()), 'a local socket'),
    current_setting('default_transaction_isolation'),
    current_setting('deadlock_timeout'),
    current_setting('log_lock_waits'),
    current_setting('max_locks_per_transaction'),
    current_setting('max_connections'),
    current_setting('track_activities'),
    current_setting('track_activity_query_size')
FROM pg_catalog.pg_database
WHERE datname = current_database();

-- name: schema_owner
-- Whom the schema lockscope belongs to.
SELECT pg_catalog.pg_get_userbyid(nspowner)::text
FROM pg_catalog.pg_namespace
WHERE nspname = 'lockscope';
