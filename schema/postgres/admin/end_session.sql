-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Ends exactly the session that was shown: process ids are reused. To run after it was recorded.
-- $1 process id, $2 its start in microseconds. The outcome, and what was there as JSON.
WITH seen AS MATERIALIZED (
    SELECT
        pid,
        backend_start,
        usename,
        datname,
        application_name,
        client_addr,
        backend_type,
        state,
        state_change,
        xact_start,
        query_start,
        wait_event_type,
        wait_event,
        query
    FROM pg_catalog.pg_stat_activity
    WHERE pid = $1::bigint
),

target AS MATERIALIZED (
    SELECT pid
    FROM seen
    WHERE (extract(epoch FROM backend_start) * 1000000)::bigint = $2::bigint
        AND backend_type = 'client backend'
        AND pid <> pg_backend_pid()
),

acted AS MATERIALIZED (
    SELECT pg_terminate_backend(pid) AS done
    FROM target
)

SELECT
    CASE
        WHEN (SELECT done FROM acted) THEN 'done'
        WHEN NOT EXISTS (SELECT FROM seen) THEN 'changed meanwhile: the session has ended'
        WHEN NOT EXISTS (SELECT FROM target) THEN 'changed meanwhile: another session has this id now'
        ELSE 'changed meanwhile: the session ended before it could be told'
    END AS outcome,
    (SELECT to_jsonb(seen.*)::text FROM seen) AS before;
