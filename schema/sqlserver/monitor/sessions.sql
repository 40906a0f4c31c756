-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The server's sessions. Without the right to see the others it is only our own. A login time is local time: its offset
-- from UTC comes from one reading of the clock; session_facts.sql and the acts on sessions use the very same expression.
SELECT
    CAST(session_id AS bigint),
    DATEDIFF_BIG(
        MICROSECOND, '19700101', DATEADD(MINUTE, -DATEPART(TZOFFSET, SYSDATETIMEOFFSET()), CAST(login_time AS datetime2))),
    status,
    login_name,
    host_name,
    program_name,
    CAST(database_id AS bigint),
    CAST(open_transaction_count AS bigint),
    CAST(is_user_process AS int),
    DATEDIFF_BIG(
        MICROSECOND,
        '19700101',
        DATEADD(MINUTE, -DATEPART(TZOFFSET, SYSDATETIMEOFFSET()), CAST(last_request_start_time AS datetime2))),
    DATEDIFF_BIG(
        MICROSECOND, '19700101', DATEADD(MINUTE, -DATEPART(TZOFFSET, SYSDATETIMEOFFSET()), CAST(last_request_end_time AS datetime2))),
    CAST(transaction_isolation_level AS bigint),
    CAST(cpu_time AS bigint),
    logical_reads,
    reads,
    writes
FROM sys.dm_exec_sessions;
