-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Who this session is and what this server can show, in one row. A session id alone is reused: the login time tells two
-- sessions of the same id apart. login_time is the server's local time, and every file of ours that returns or compares it
-- takes it as it is: converted to UTC it would move with a change of daylight saving time.
-- Only views and functions that exist are named; rights are asked for by the names of all versions. A server answers NULL
-- for a right that it does not know, and some engines for every right of the server: then it is the administrator's.
SELECT
    CAST(@@SPID AS int) AS session_id,
    (
        SELECT
            DATEDIFF_BIG(MICROSECOND, '19700101', CAST(s.login_time AS datetime2))
        FROM sys.dm_exec_sessions AS s
        WHERE s.session_id = @@SPID
    ) AS login_time_us,
    CAST(SERVERPROPERTY('ProductVersion') AS nvarchar(128)) AS product_version,
    CAST(SERVERPROPERTY('EngineEdition') AS int) AS engine_edition,
    CAST(SERVERPROPERTY('Edition') AS nvarchar(128)) AS edition,
    CAST(SERVERPROPERTY('BabelfishVersion') AS nvarchar(128)) AS babelfish_version,
    CASE WHEN OBJECT_ID('sys.dm_exec_sessions') IS NULL THEN '' ELSE 'dm_exec_sessions ' END
    + CASE WHEN OBJECT_ID('sys.dm_exec_connections') IS NULL THEN '' ELSE 'dm_exec_connections ' END
    + CASE WHEN OBJECT_ID('sys.dm_exec_requests') IS NULL THEN '' ELSE 'dm_exec_requests ' END
    + CASE WHEN OBJECT_ID('sys.dm_exec_sql_text') IS NULL THEN '' ELSE 'dm_exec_sql_text ' END
    + CASE WHEN OBJECT_ID('sys.dm_exec_input_buffer') IS NULL THEN '' ELSE 'dm_exec_input_buffer ' END
    + CASE WHEN OBJECT_ID('sys.dm_os_waiting_tasks') IS NULL THEN '' ELSE 'dm_os_waiting_tasks ' END
    + CASE WHEN OBJECT_ID('sys.dm_os_memory_clerks') IS NULL THEN '' ELSE 'dm_os_memory_clerks ' END
    + CASE WHEN OBJECT_ID('sys.dm_tran_locks') IS NULL THEN '' ELSE 'dm_tran_locks ' END
    + CASE WHEN OBJECT_ID('sys.dm_tran_active_transactions') IS NULL THEN '' ELSE 'dm_tran_active_transactions ' END
    + CASE WHEN OBJECT_ID('sys.dm_tran_session_transactions') IS NULL THEN '' ELSE 'dm_tran_session_transactions ' END
    + CASE WHEN OBJECT_ID('sys.dm_tran_database_transactions') IS NULL THEN '' ELSE 'dm_tran_database_transactions ' END
    AS views_that_exist,
    CASE
        WHEN COALESCE(HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE'), IS_SRVROLEMEMBER('sysadmin')) = 1
            THEN 'VIEW SERVER STATE;'
        ELSE ''
    END
    + CASE
        WHEN COALESCE(HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER PERFORMANCE STATE'), IS_SRVROLEMEMBER('sysadmin')) = 1
            THEN 'VIEW SERVER PERFORMANCE STATE;'
        ELSE ''
    END
    + CASE
        WHEN COALESCE(HAS_PERMS_BY_NAME(NULL, NULL, 'ALTER ANY CONNECTION'), IS_SRVROLEMEMBER('sysadmin')) = 1
            THEN 'ALTER ANY CONNECTION;'
        ELSE ''
    END
    + CASE
        WHEN COALESCE(HAS_PERMS_BY_NAME(NULL, NULL, 'CONNECT ANY DATABASE'), IS_SRVROLEMEMBER('sysadmin')) = 1
            THEN 'CONNECT ANY DATABASE;'
        ELSE ''
    END
    + CASE
        WHEN COALESCE(HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW ANY DEFINITION'), IS_SRVROLEMEMBER('sysadmin')) = 1
            THEN 'VIEW ANY DEFINITION;'
        ELSE ''
    END
    + CASE WHEN HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'VIEW DATABASE STATE') = 1 THEN 'VIEW DATABASE STATE;' ELSE '' END
    + CASE
        WHEN HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'KILL DATABASE CONNECTION') = 1 THEN 'KILL DATABASE CONNECTION;' ELSE ''
    END
    + CASE WHEN HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'VIEW DEFINITION') = 1 THEN 'VIEW DEFINITION;' ELSE '' END AS rights
