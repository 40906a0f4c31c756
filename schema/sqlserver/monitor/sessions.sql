-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The server's sessions. Without the right to see the others it is only our own. A login time is told as it is, in local
-- time, because it names the session: converted it would move by an hour with every change of daylight saving time. The
-- last but five is what local time is ahead of UTC, for who shows it. 1900-01-01 stands for no time at all.
SELECT
    CAST(session_id AS bigint),
    DATEDIFF_BIG(MICROSECOND, '19700101', CAST(NULLIF(login_time, CAST('19000101' AS datetime)) AS datetime2)),
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
        DATEADD(
            MINUTE,
            -DATEPART(TZOFFSET, SYSDATETIMEOFFSET()),
            CAST(NULLIF(last_request_start_time, CAST('19000101' AS datetime)) AS datetime2)
        )
    ),
    DATEDIFF_BIG(
        MICROSECOND,
        '19700101',
        DATEADD(
            MINUTE,
            -DATEPART(TZOFFSET, SYSDATETIMEOFFSET()),
            CAST(NULLIF(last_request_end_time, CAST('19000101' AS datetime)) AS datetime2)
        )
    ),
    DATEPART(TZOFFSET, SYSDATETIMEOFFSET()),
    CAST(transaction_isolation_level AS bigint),
    CAST(cpu_time AS bigint),
    logical_reads,
    reads,
    writes
FROM sys.dm_exec_sessions;
