-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The server's sessions without pg_stat_activity's joins: names of roles and databases are looked up once and kept.
-- $1: with the texts of the statements. Last but three: for whose end a SERIALIZABLE READ ONLY DEFERRABLE transaction
-- waits; no row of pg_locks tells that.
SELECT
    pid,
    (date_part('epoch', backend_start) * 1000000)::bigint,
    state,
    usesysid,
    datid,
    application_name,
    CASE
        WHEN client_port = -1 THEN 'local'
        ELSE coalesce(client_hostname, host(client_addr))
    END,
    CASE WHEN $1::boolean THEN query END,
    wait_event_type,
    wait_event,
    (date_part('epoch', state_change) * 1000000)::bigint,
    (date_part('epoch', xact_start) * 1000000)::bigint,
    (date_part('epoch', query_start) * 1000000)::bigint,
    {leader},
    backend_type,
    query = '<insufficient privilege>',
    CASE WHEN wait_event = 'SafeSnapshot' THEN pg_catalog.pg_safe_snapshot_blocking_pids(pid)::text END,
    CASE WHEN client_hostname IS NOT NULL THEN host(client_addr) END,
    backend_xid::text::bigint,
    age(backend_xmin)
FROM pg_catalog.pg_stat_get_activity(NULL);
