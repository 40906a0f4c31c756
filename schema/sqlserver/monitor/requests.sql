-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What runs at this moment: state, wait, progress, by handle the statement, and what it has cost so far. Memory is granted
-- in pages of 8 KB.
SELECT
    CAST(session_id AS bigint),
    status,
    command,
    DATEDIFF_BIG(
        MICROSECOND,
        '19700101',
        DATEADD(
            MINUTE,
            -DATEPART(TZOFFSET, SYSDATETIMEOFFSET()),
            CAST(NULLIF(start_time, CAST('19000101' AS datetime)) AS datetime2)
        )
    ),
    wait_type,
    CAST(wait_time AS bigint),
    wait_resource,
    CAST(blocking_session_id AS bigint),
    CAST(percent_complete AS float),
    CAST(estimated_completion_time AS bigint),
    sql_handle,
    CAST(statement_start_offset AS bigint),
    CAST(statement_end_offset AS bigint),
    CAST(transaction_id AS bigint),
    CAST(open_transaction_count AS bigint),
    CAST(transaction_isolation_level AS bigint),
    CAST(granted_query_memory AS bigint) * 8192,
    CAST(cpu_time AS bigint),
    logical_reads,
    reads,
    writes
FROM sys.dm_exec_requests
WHERE session_id > 0;
