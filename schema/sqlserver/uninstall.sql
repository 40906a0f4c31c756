-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Removes what install.sql made, by name and kind. What others put into the schema stays, and so does the schema then; if
-- something of theirs depends on ours, the whole script fails and nothing is removed. Roles go only if an installation made
-- them; their members leave them. Run it as one transaction (by hand: sqlcmd -b).
SET XACT_ABORT ON;
DECLARE @Faults nvarchar(1500) = N'', @Refusal nvarchar(2000);
SELECT @Faults = @Faults + N'the schema belongs to ' + ISNULL(USER_NAME(s.principal_id), N'somebody else') + N'. '
FROM sys.schemas AS s
WHERE s.name = N'lockscope' AND s.principal_id NOT IN (DATABASE_PRINCIPAL_ID(N'dbo'), ISNULL(DATABASE_PRINCIPAL_ID(USER_NAME()), -1));
SELECT @Faults = @Faults + N'the trigger ' + o.name + N' is not Lockscope''s. '
FROM sys.objects AS o
INNER JOIN sys.schemas AS s ON o.schema_id = s.schema_id
WHERE
    s.name = N'lockscope' AND RTRIM(o.type) IN (N'TR', N'TA')
    AND o.name NOT IN (N'lock_entry_taken', N'lock_entry_changed', N'lock_entry_freed', N'audit_log_kept');
IF @Faults <> N''
    BEGIN
        SET @Refusal = N'Nothing was removed from the schema lockscope: ' + @Faults;
        IF @@TRANCOUNT > 0
            BEGIN;
                THROW 50000, @Refusal, 1;
            END;
        -- For who runs this by hand, without a transaction and without -b: none of the batches that follow is executed.
        RAISERROR (N'%s', 16, 1, @Refusal);
        SET NOEXEC ON;
    END;
GO
IF OBJECT_ID(N'lockscope.holders', N'V') IS NOT NULL DROP VIEW lockscope.holders;
IF OBJECT_ID(N'lockscope.waiters', N'V') IS NOT NULL DROP VIEW lockscope.waiters;
IF OBJECT_ID(N'lockscope.stale', N'V') IS NOT NULL DROP VIEW lockscope.stale;
IF OBJECT_ID(N'lockscope.audit', N'V') IS NOT NULL DROP VIEW lockscope.audit;
IF OBJECT_ID(N'lockscope.AcquireLock', N'P') IS NOT NULL DROP PROCEDURE lockscope.AcquireLock;
IF OBJECT_ID(N'lockscope.RenewLock', N'P') IS NOT NULL DROP PROCEDURE lockscope.RenewLock;
IF OBJECT_ID(N'lockscope.LeaveQueue', N'P') IS NOT NULL DROP PROCEDURE lockscope.LeaveQueue;
IF OBJECT_ID(N'lockscope.ReleaseLock', N'P') IS NOT NULL DROP PROCEDURE lockscope.ReleaseLock;
IF OBJECT_ID(N'lockscope.PurgeStale', N'P') IS NOT NULL DROP PROCEDURE lockscope.PurgeStale;
IF OBJECT_ID(N'lockscope.AcquireAppLock', N'P') IS NOT NULL DROP PROCEDURE lockscope.AcquireAppLock;
IF OBJECT_ID(N'lockscope.ReleaseAppLock', N'P') IS NOT NULL DROP PROCEDURE lockscope.ReleaseAppLock;
IF OBJECT_ID(N'lockscope.RegisterAppLockName', N'P') IS NOT NULL DROP PROCEDURE lockscope.RegisterAppLockName;
IF OBJECT_ID(N'lockscope.LockSurrogateKey', N'P') IS NOT NULL DROP PROCEDURE lockscope.LockSurrogateKey;
IF OBJECT_ID(N'lockscope.AddSurrogateTable', N'P') IS NOT NULL DROP PROCEDURE lockscope.AddSurrogateTable;
IF OBJECT_ID(N'lockscope.MakeSurrogateTable', N'P') IS NOT NULL DROP PROCEDURE lockscope.MakeSurrogateTable;
IF OBJECT_ID(N'lockscope.RecordAct', N'P') IS NOT NULL DROP PROCEDURE lockscope.RecordAct;
IF OBJECT_ID(N'lockscope.RecordOutcome', N'P') IS NOT NULL DROP PROCEDURE lockscope.RecordOutcome;
IF OBJECT_ID(N'lockscope.AppLockFor', N'FN') IS NOT NULL DROP FUNCTION lockscope.AppLockFor;
IF OBJECT_ID(N'lockscope.BellPrincipal', N'FN') IS NOT NULL DROP FUNCTION lockscope.BellPrincipal;
IF OBJECT_ID(N'lockscope.lock_entry', N'U') IS NOT NULL DROP TABLE lockscope.lock_entry;
IF OBJECT_ID(N'lockscope.lock_waiter', N'U') IS NOT NULL DROP TABLE lockscope.lock_waiter;
IF OBJECT_ID(N'lockscope.lock_name', N'U') IS NOT NULL DROP TABLE lockscope.lock_name;
IF OBJECT_ID(N'lockscope.fencing_epoch', N'U') IS NOT NULL DROP TABLE lockscope.fencing_epoch;
IF OBJECT_ID(N'lockscope.app_lock_name', N'U') IS NOT NULL DROP TABLE lockscope.app_lock_name;
IF OBJECT_ID(N'lockscope.surrogate_key', N'U') IS NOT NULL DROP TABLE lockscope.surrogate_key;
IF OBJECT_ID(N'lockscope.audit_log', N'U') IS NOT NULL DROP TABLE lockscope.audit_log;
IF OBJECT_ID(N'lockscope.hint_proof', N'U') IS NOT NULL DROP TABLE lockscope.hint_proof;
IF OBJECT_ID(N'lockscope.schema_version', N'U') IS NOT NULL DROP TABLE lockscope.schema_version;
IF OBJECT_ID(N'lockscope.fencing', N'SO') IS NOT NULL DROP SEQUENCE lockscope.fencing;
GO
-- Those that AddSurrogateTable made: tables of one column, that nobody wrote to. What looks otherwise stays, and the schema.
DECLARE @Sql nvarchar(MAX) = N'';
SELECT @Sql = @Sql + N'DROP TABLE lockscope.' + QUOTENAME(t.name) + N';'
FROM sys.tables AS t
WHERE
    t.schema_id = SCHEMA_ID(N'lockscope') AND t.name LIKE N'surrogate:%'
    AND (SELECT COUNT(*) FROM sys.columns AS c WHERE c.object_id = t.object_id AND c.name = N'unused') = 1
    AND (SELECT COUNT(*) FROM sys.columns AS c WHERE c.object_id = t.object_id) = 1;
EXECUTE sys.sp_executesql @Sql;
GO
IF OBJECT_ID(N'lockscope.own_role', N'U') IS NOT NULL
    BEGIN
        DECLARE @Sql nvarchar(MAX) = N'';
        SELECT @Sql = @Sql + N'ALTER ROLE ' + QUOTENAME(r.name) + N' DROP MEMBER ' + QUOTENAME(p.name) + N';'
        FROM sys.database_role_members AS m
        INNER JOIN sys.database_principals AS r ON m.role_principal_id = r.principal_id
        INNER JOIN sys.database_principals AS p ON m.member_principal_id = p.principal_id
        -- The catalogue may have another collation than the database.
        INNER JOIN lockscope.own_role AS o ON r.name COLLATE DATABASE_DEFAULT = o.name COLLATE DATABASE_DEFAULT;
        SELECT @Sql = @Sql + N'DROP ROLE ' + QUOTENAME(o.name) + N';'
        FROM lockscope.own_role AS o
        WHERE DATABASE_PRINCIPAL_ID(o.name) IS NOT NULL;
        SET @Sql = @Sql + N'DROP TABLE lockscope.own_role;';
        EXECUTE sys.sp_executesql @Sql;
    END;
GO
IF
    SCHEMA_ID(N'lockscope') IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM sys.objects WHERE schema_id = SCHEMA_ID(N'lockscope'))
    AND NOT EXISTS (SELECT 1 FROM sys.types WHERE schema_id = SCHEMA_ID(N'lockscope'))
    DROP SCHEMA lockscope;
