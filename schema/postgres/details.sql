-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What is read of a single session, when a person asks for it.

-- name: progress_vacuum
-- How far a VACUUM is. $1 process id, $2 its start in microseconds.
SELECT
    p.phase,
    p.heap_blks_scanned::bigint,
    p.heap_blks_total::bigint,
    'blocks'
FROM pg_catalog.pg_stat_progress_vacuum AS p
INNER JOIN pg_catalog.pg_stat_get_activity($1::integer) AS a ON p.pid = a.pid
WHERE (date_part('epoch', a.backend_start) * 1000000)::bigint = $2::bigint;

-- name: progress_analyze
-- How far an ANALYZE is. $1 process id, $2 its start in microseconds.
SELECT
    p.phase,
    p.sample_blks_scanned::bigint,
    p.sample_blks_total::bigint,
    'blocks'
FROM pg_catalog.pg_stat_progress_analyze AS p
INNER JOIN pg_catalog.pg_stat_get_activity($1::integer) AS a ON p.pid = a.pid
WHERE (date_part('epoch', a.backend_start) * 1000000)::bigint = $2::bigint;

-- name: progress_create_index
-- How far a CREATE INDEX or REINDEX is. $1 process id, $2 its start in microseconds.
SELECT
    p.phase,
    p.blocks_done::bigint,
    p.blocks_total::bigint,
    'blocks'
FROM pg_catalog.pg_stat_progress_create_index AS p
INNER JOIN pg_catalog.pg_stat_get_activity($1::integer) AS a ON p.pid = a.pid
WHERE (date_part('epoch', a.backend_start) * 1000000)::bigint = $2::bigint;

-- name: progress_cluster
-- How far a CLUSTER or VACUUM FULL is. $1 process id, $2 its start in microseconds.
SELECT
    p.phase,
    p.heap_blks_scanned::bigint,
    p.heap_blks_total::bigint,
    'blocks'
FROM pg_catalog.pg_stat_progress_cluster AS p
INNER JOIN pg_catalog.pg_stat_get_activity($1::integer) AS a ON p.pid = a.pid
WHERE (date_part('epoch', a.backend_start) * 1000000)::bigint = $2::bigint;

-- name: progress_copy
-- How far a COPY is. $1 process id, $2 its start in microseconds.
SELECT
    lower(p.command),
    p.bytes_processed::bigint,
    p.bytes_total::bigint,
    'bytes'
FROM pg_catalog.pg_stat_progress_copy AS p
INNER JOIN pg_catalog.pg_stat_get_activity($1::integer) AS a ON p.pid = a.pid
WHERE (date_part('epoch', a.backend_start) * 1000000)::bigint = $2::bigint;
