-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The last statement of each connection by its handle: what a sleeping session did before it fell asleep.
SELECT
    CAST(session_id AS bigint),
    most_recent_sql_handle,
    client_net_address
FROM sys.dm_exec_connections
WHERE session_id IS NOT NULL;
