-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Where a server writes down its deadlocks, and how often it counted one. All of it only reads.

-- name: settings
-- How the log is written. Those that the role may not see are not listed.
SELECT
    s.name::text,
    s.setting
FROM pg_catalog.pg_settings AS s
WHERE s.name IN (
    'log_destination', 'log_filename', 'logging_collector', 'log_error_verbosity', 'log_min_messages',
    'track_counts'
);

-- name: rights
-- What the role may call, its name for a GRANT, whether this is a replica, and the role by which a cloud service gives
-- itself away.
SELECT
    quote_ident(current_user::text),
    pg_catalog.pg_is_in_recovery(),
    coalesce(has_function_privilege(to_regprocedure('pg_catalog.pg_current_logfile(text)')::oid, 'EXECUTE'), false),
    coalesce(has_function_privilege(to_regprocedure('pg_catalog.pg_ls_logdir()')::oid, 'EXECUTE'), false),
    coalesce(
        has_function_privilege(
            to_regprocedure('pg_catalog.pg_read_binary_file(text,bigint,bigint,boolean)')::oid, 'EXECUTE'
        ), false
    ),
    coalesce(has_function_privilege(to_regprocedure('pg_catalog.pg_stat_file(text,boolean)')::oid, 'EXECUTE'), false),
    EXISTS(
        SELECT 1 FROM pg_catalog.pg_roles AS r
        WHERE r.rolname = 'pg_read_server_files' AND pg_has_role(r.oid, 'USAGE')
    ),
    (
        SELECT min(r.rolname::text) FROM pg_catalog.pg_roles AS r
        WHERE r.rolname IN ('rds_superuser', 'cloudsqlsuperuser', 'azure_pg_admin', 'alloydbsuperuser')
    );

-- name: counter
-- How many deadlocks each database counted, and since when: any role may see that.
SELECT
    coalesce(d.datid, 0)::bigint,
    d.datname::text,
    d.deadlocks,
    (extract(epoch FROM d.stats_reset) * 1000000)::bigint
FROM pg_catalog.pg_stat_database AS d;

-- name: log_files
-- The log's files of one format ($1: 'stderr', 'csvlog', 'jsonlog') that were written since $2 (microseconds), and the
-- one read last ($3: its name), the oldest first; the last column says which one is written now.
SELECT
    regexp_replace(now_written.path, '[^/]*$', '') || f.name,
    f.size,
    (extract(epoch FROM f.modification) * 1000000)::bigint,
    f.name = regexp_replace(now_written.path, '^.*/', '')
FROM (SELECT pg_catalog.pg_current_logfile($1::text) AS path) AS now_written
CROSS JOIN LATERAL pg_catalog.pg_ls_logdir() AS f
WHERE
    substring(f.name FROM '\.[^.]*$') IS NOT DISTINCT FROM substring(now_written.path FROM '\.[^./]*$')
    AND (
        f.modification >= to_timestamp($2::bigint / 1000000.0)
        OR f.name = $3::text
        OR f.name = regexp_replace(now_written.path, '^.*/', '')
    )
ORDER BY f.name = regexp_replace(now_written.path, '^.*/', ''), f.modification, f.name;

-- name: standard_error
-- Without a collector the log goes to the standard error of all the server's processes, so to this one's. Where that is a
-- file, it has a size; a pipe, a terminal and a socket have none.
SELECT f.size, (extract(epoch FROM f.modification) * 1000000)::bigint
FROM pg_catalog.pg_stat_file('/proc/self/fd/2', true) AS f;

-- name: log_piece
-- $3 bytes of the file $1 from $2 on; null if it is gone. Bytes beyond ASCII come as \nnn: the log may hold any.
SELECT encode(pg_catalog.pg_read_binary_file($1::text, $2::bigint, $3::bigint, true), 'escape');

-- name: log_time
-- The instant of a time ($1) that the log gives by its own zone.
SELECT (extract(epoch FROM $1::text::timestamp AT TIME ZONE current_setting('log_timezone')) * 1000000)::bigint;
