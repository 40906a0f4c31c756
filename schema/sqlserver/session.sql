-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What a connection asks and sets when it begins, and its transactions.

-- name: facts
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
    + CASE WHEN HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'VIEW DEFINITION') = 1 THEN 'VIEW DEFINITION;' ELSE '' END AS rights;

-- name: product
-- Only what kind of server this is, in the columns of `facts` and in the words of every version: for one that did
-- not understand that.
SELECT
    CAST(@@SPID AS int) AS session_id,
    CAST(NULL AS bigint) AS login_time_us,
    CAST(SERVERPROPERTY('ProductVersion') AS nvarchar(128)) AS product_version,
    CAST(SERVERPROPERTY('EngineEdition') AS int) AS engine_edition,
    CAST(SERVERPROPERTY('Edition') AS nvarchar(128)) AS edition,
    CAST(SERVERPROPERTY('BabelfishVersion') AS nvarchar(128)) AS babelfish_version,
    '' AS views_that_exist,
    '' AS rights;

-- name: state
-- Whether a transaction is open, and whether it can still be committed (1), or only rolled back (-1).
SELECT
    CAST(@@TRANCOUNT AS int) AS open_transactions,
    CAST(XACT_STATE() AS int) AS transaction_state;

-- name: lock
-- A lock lives as long as its session or its transaction: no time-out cuts a wait but the one that its owner gives, and an
-- error leaves no half-done transaction behind with a lock in it.
SET ANSI_NULLS ON;
SET ANSI_PADDING ON;
SET ANSI_WARNINGS ON;
SET ARITHABORT ON;
SET CONCAT_NULL_YIELDS_NULL ON;
SET NUMERIC_ROUNDABORT OFF;
SET QUOTED_IDENTIFIER ON;
SET IMPLICIT_TRANSACTIONS OFF;
SET ROWCOUNT 0;
SET NOCOUNT OFF;
SET XACT_ABORT ON;
SET LOCK_TIMEOUT -1;
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

-- name: monitor
-- A monitor must never be the problem: it waits for no lock longer than a moment, takes none while reading, and is the one
-- that goes when it meets a deadlock.
SET ANSI_NULLS ON;
SET ANSI_PADDING ON;
SET ANSI_WARNINGS ON;
SET ARITHABORT ON;
SET CONCAT_NULL_YIELDS_NULL ON;
SET NUMERIC_ROUNDABORT OFF;
SET QUOTED_IDENTIFIER ON;
SET IMPLICIT_TRANSACTIONS OFF;
SET ROWCOUNT 0;
SET NOCOUNT OFF;
SET XACT_ABORT ON;
SET LOCK_TIMEOUT 1000;
SET DEADLOCK_PRIORITY LOW;
SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED;

-- name: admin
-- Acts are short: an administrator's session queues behind nobody for long.
SET ANSI_NULLS ON;
SET ANSI_PADDING ON;
SET ANSI_WARNINGS ON;
SET ARITHABORT ON;
SET CONCAT_NULL_YIELDS_NULL ON;
SET NUMERIC_ROUNDABORT OFF;
SET QUOTED_IDENTIFIER ON;
SET IMPLICIT_TRANSACTIONS OFF;
SET ROWCOUNT 0;
SET NOCOUNT OFF;
SET XACT_ABORT ON;
SET LOCK_TIMEOUT 1000;
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

-- name: workload
-- A workload plays an ordinary program: the server's defaults, said aloud because drivers differ in theirs.
SET ANSI_NULLS ON;
SET ANSI_PADDING ON;
SET ANSI_WARNINGS ON;
SET ARITHABORT ON;
SET CONCAT_NULL_YIELDS_NULL ON;
SET NUMERIC_ROUNDABORT OFF;
SET QUOTED_IDENTIFIER ON;
SET IMPLICIT_TRANSACTIONS OFF;
SET ROWCOUNT 0;
SET NOCOUNT OFF;
SET XACT_ABORT OFF;
SET LOCK_TIMEOUT -1;
SET TRANSACTION ISOLATION LEVEL READ COMMITTED;

-- name: batch_item
-- One of several statements that travel together (db::Connection::executeBatch). {text} and {declaration} are literals,
-- {arguments} is empty or ", @P1 = @P3, …": a parameter of this statement, and which one it is in the whole batch. Each
-- statement's own rows come first, then one row that ends it: how it went. An error of one leaves the others alone.
BEGIN TRY
    EXEC sys.sp_executesql {text}, {declaration}{arguments};
    SELECT
        ROWCOUNT_BIG() AS lockscope_item_end,
        0 AS error_number,
        '' AS error_message;
END TRY
BEGIN CATCH
    SELECT
        CAST(-1 AS bigint) AS lockscope_item_end,
        ERROR_NUMBER() AS error_number,
        ERROR_MESSAGE() AS error_message;
END CATCH;

-- name: begin
BEGIN TRANSACTION;

-- name: commit
COMMIT TRANSACTION;

-- name: rollback
-- The server may have rolled back already: after a deadlock, or after any error under XACT_ABORT.
IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION;
