-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Who waits for whom, with the exact length of each wait. Threads of one statement that wait for each other (parallel
-- plans) are no blocking: their blocker is their own session.
SELECT
    CAST(session_id AS bigint),
    wait_duration_ms,
    wait_type,
    CAST(blocking_session_id AS bigint),
    CAST(resource_address AS bigint),
    resource_description
FROM sys.dm_os_waiting_tasks
WHERE
    session_id IS NOT NULL
    AND (wait_type LIKE N'LCK[_]%' OR blocking_session_id <> session_id)
    AND wait_type NOT LIKE N'CX%'
    AND wait_type <> N'EXCHANGE';
