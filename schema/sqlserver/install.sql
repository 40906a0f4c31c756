-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Lockscope's own schema, version 1. Idempotent: run it as often as you like. It refuses a schema of another version.
-- Times are the server's clock, UTC. Any program may use these tables and procedures; see "Locks from any language" in
-- the manual.
-- LEN ignores spaces at the end, and with some collations a pair of surrogates counts as one: hence LEN(… + N'.') by code
-- units. DATALENGTH would do on SQL Server; on Babelfish it does not count two bytes a character.
-- Whose rights: everything here belongs to dbo, the schema's owner, so a right to call a procedure, or to write to a table
-- with a trigger, is enough for all that the procedure or trigger does (ownership chain), and only for that. Nothing runs as
-- somebody else but AddSurrogateTable; the database need not be TRUSTWORTHY. Babelfish knows no such chain: see the grants.
-- Every name says its schema. Every routine says the settings that it needs: a program that has IMPLICIT_TRANSACTIONS on
-- would leave its work uncommitted, one of DB-Library could write to none of these tables, a ROWCOUNT would cut it short.
-- Locks and transactions: a row of the lock table is a lock when it is committed, so the procedures that write such rows
-- refuse a transaction of the caller's, which a rollback could end. They do so before XACT_ABORT is on: the caller keeps it.
-- LEFT gets a collation without supplementary characters: with another it counts code points, and two pieces don't fit.
-- Run it as one transaction (by hand: sqlcmd -b, which stops at an error); a line "GO" ends a batch, as in sqlcmd. Two that
-- install at once take turns:
SET XACT_ABORT ON;
SET QUOTED_IDENTIFIER ON;
SET ANSI_NULLS ON;
SET ANSI_WARNINGS ON;
SET ANSI_PADDING ON;
SET ARITHABORT ON;
SET CONCAT_NULL_YIELDS_NULL ON;
SET NUMERIC_ROUNDABORT OFF;
IF @@TRANCOUNT > 0
    BEGIN
        -- Anybody can take this lock, and keep it: after a while it goes on. Two that meet then are told apart by the tables'
        -- own locks, or one of them fails with nothing left behind.
        EXECUTE sys.sp_getapplock
            @Resource = N'lockscope installation', @LockMode = 'Exclusive', @LockOwner = 'Transaction', @LockTimeout = 20000;
    END;
-- Adopts nothing that somebody else made: who owns a procedure or trigger that others use acts with their rights. The same
-- is asked by schema/check, on behalf of a connection.
DECLARE @Faults nvarchar(1500) = N'', @Refusal nvarchar(2000);
SELECT @Faults = @Faults + f.object + N' (' + f.owner + N'): ' + f.fault + N'. '
FROM (
    SELECT
        N'schema lockscope' AS object,
        ISNULL(USER_NAME(s.principal_id), N'?') AS owner,
        N'its owner is neither dbo nor you' AS fault
    FROM sys.schemas AS s
    WHERE s.name = N'lockscope' AND s.principal_id NOT IN (DATABASE_PRINCIPAL_ID(N'dbo'), ISNULL(DATABASE_PRINCIPAL_ID(USER_NAME()), -1))
    UNION ALL
    SELECT
        N'lockscope.' + o.name,
        ISNULL(USER_NAME(o.principal_id), N'?'),
        N'its owner is another than that of the schema'
    FROM sys.objects AS o
    INNER JOIN sys.schemas AS s ON o.schema_id = s.schema_id
    WHERE
        s.name = N'lockscope' AND o.principal_id <> s.principal_id
        AND ISNULL(USER_NAME(o.principal_id), N'') <> ISNULL(USER_NAME(s.principal_id), N'?')
    UNION ALL
    SELECT
        N'lockscope.' + o.name,
        ISNULL(USER_NAME(s.principal_id), N'?'),
        CASE WHEN ours.name IS NULL THEN N'a trigger that is not Lockscope''s' ELSE N'not what Lockscope makes of this name' END
    FROM sys.objects AS o
    INNER JOIN sys.schemas AS s ON o.schema_id = s.schema_id
    LEFT OUTER JOIN (
        VALUES
        (N'schema_version', N'U'),
        (N'fencing', N'SO'),
        (N'lock_name', N'U'),
        (N'fencing_epoch', N'U'),
        (N'lock_entry', N'U'),
        (N'lock_waiter', N'U'),
        (N'app_lock_name', N'U'),
        (N'surrogate_key', N'U'),
        (N'audit_log', N'U'),
        (N'own_role', N'U'),
        (N'hint_proof', N'U'),
        (N'holders', N'V'),
        (N'waiters', N'V'),
        (N'stale', N'V'),
        (N'audit', N'V'),
        (N'AppLockFor', N'FN'),
        (N'BellPrincipal', N'FN'),
        (N'AcquireLock', N'P'),
        (N'RenewLock', N'P'),
        (N'ReleaseLock', N'P'),
        (N'LeaveQueue', N'P'),
        (N'PurgeStale', N'P'),
        (N'RecordAct', N'P'),
        (N'RecordOutcome', N'P'),
        (N'RegisterAppLockName', N'P'),
        (N'AcquireAppLock', N'P'),
        (N'ReleaseAppLock', N'P'),
        (N'LockSurrogateKey', N'P'),
        (N'MakeSurrogateTable', N'P'),
        (N'AddSurrogateTable', N'P'),
        (N'lock_entry_taken', N'TR'),
        (N'lock_entry_changed', N'TR'),
        (N'lock_entry_freed', N'TR'),
        (N'audit_log_kept', N'TR')
    ) AS ours (name, type) ON o.name COLLATE DATABASE_DEFAULT = ours.name COLLATE DATABASE_DEFAULT
    WHERE
        s.name = N'lockscope'
        AND (ours.name IS NOT NULL OR RTRIM(o.type) IN (N'TR', N'TA'))
        AND RTRIM(o.type) COLLATE DATABASE_DEFAULT <> ISNULL(ours.type, N'') COLLATE DATABASE_DEFAULT
    UNION ALL
    SELECT
        N'role ' + r.name,
        ISNULL(USER_NAME(r.owning_principal_id), N'?'),
        N'its owner is neither dbo nor you, or it is no role'
    FROM sys.database_principals AS r
    WHERE
        r.name IN (N'lockscope_reader', N'lockscope_operator', N'lockscope_admin')
        AND (
            RTRIM(r.type) <> N'R'
            OR (
                SERVERPROPERTY('BabelfishVersion') IS NULL
                AND r.owning_principal_id NOT IN (DATABASE_PRINCIPAL_ID(N'dbo'), ISNULL(DATABASE_PRINCIPAL_ID(USER_NAME()), -1))
            )
        )
    UNION ALL
    SELECT
        N'lockscope.' + o.name,
        ISNULL(USER_NAME(s.principal_id), N'?'),
        N'it was there before Lockscope was'
    FROM sys.objects AS o
    INNER JOIN sys.schemas AS s ON o.schema_id = s.schema_id
    WHERE s.name = N'lockscope' AND OBJECT_ID(N'lockscope.schema_version', N'U') IS NULL
) AS f;
-- Nothing is changed in a schema of another version: who knows that one must say what becomes of it.
IF OBJECT_ID(N'lockscope.schema_version', N'U') IS NOT NULL
    SELECT @Faults = @Faults + N'Its version is ' + CONVERT(nvarchar(40), version) + N', and this script installs version 1. '
    FROM lockscope.schema_version
    WHERE CONVERT(nvarchar(40), version) <> N'1';
-- What is kept from an earlier installation must not call what somebody else wrote: a default, a check, a computed column.
IF SERVERPROPERTY('BabelfishVersion') IS NULL
    SELECT @Faults = @Faults + N'lockscope.' + o.name + N': it calls ' + ISNULL(d.referenced_entity_name, N'?') + N'. '
    FROM sys.sql_expression_dependencies AS d
    INNER JOIN sys.objects AS o ON d.referencing_id = o.object_id
    WHERE
        o.schema_id = SCHEMA_ID(N'lockscope')
        AND RTRIM(o.type) IN (N'C', N'D', N'U')
        AND d.referenced_schema_name <> N'lockscope';
IF @Faults <> N''
    BEGIN
        SET @Refusal = N'The schema lockscope is not what Lockscope made. ' + @Faults + N'Nothing was changed. Find out who '
            + N'made it and why; remove it, or, if it is right, give it to dbo: '
            + N'ALTER AUTHORIZATION ON SCHEMA::lockscope TO dbo.';
        IF @@TRANCOUNT > 0
            BEGIN;
                THROW 50000, @Refusal, 1;
            END;
        -- For who runs this by hand, without a transaction and without -b: none of the batches that follow is executed.
        RAISERROR (N'%s', 16, 1, @Refusal);
        SET NOEXEC ON;
    END
ELSE IF SCHEMA_ID(N'lockscope') IS NULL
    EXECUTE (N'CREATE SCHEMA lockscope AUTHORIZATION dbo');
ELSE IF
    IS_ROLEMEMBER(N'db_owner') = 1
    AND EXISTS (SELECT 1 FROM sys.schemas WHERE name = N'lockscope' AND principal_id <> DATABASE_PRINCIPAL_ID(N'dbo'))
    EXECUTE (N'ALTER AUTHORIZATION ON SCHEMA::lockscope TO dbo');
GO
IF OBJECT_ID(N'lockscope.schema_version', N'U') IS NULL
    CREATE TABLE lockscope.schema_version (
        version int NOT NULL CONSTRAINT schema_version_key PRIMARY KEY,
        installed_at datetime2(6) NOT NULL CONSTRAINT schema_version_installed_at DEFAULT SYSUTCDATETIME()
    );
GO
-- Drawn by every grant, so that a protected resource can refuse the late write of a former holder.
IF OBJECT_ID(N'lockscope.fencing', N'SO') IS NULL
    CREATE SEQUENCE lockscope.fencing AS bigint START WITH 1 INCREMENT BY 1 NO CYCLE;
GO
-- Fencing numbers are epoch * 2^40 + sequence. After a failover the database may lack the last commits, and the
-- sequence goes back: so the epoch grows whenever another instance serves the database, and the numbers never go back. An
-- instance of a failover cluster keeps its name, and its disks.
IF OBJECT_ID(N'lockscope.fencing_epoch', N'U') IS NULL
    CREATE TABLE lockscope.fencing_epoch (
        one tinyint NOT NULL CONSTRAINT fencing_epoch_key PRIMARY KEY CONSTRAINT fencing_epoch_one CHECK (one = 1),
        server_name nvarchar(256) COLLATE Latin1_General_BIN2 NOT NULL,
        epoch bigint NOT NULL CONSTRAINT fencing_epoch_epoch CHECK (epoch BETWEEN 0 AND 8388606)
    );
GO
IF NOT EXISTS (SELECT 1 FROM lockscope.fencing_epoch)
    INSERT INTO lockscope.fencing_epoch (one, server_name, epoch)
    VALUES (1, ISNULL(CONVERT(nvarchar(256), SERVERPROPERTY('ServerName')), N''), 0);
GO
-- The guard of a name: a session that decides about the name writes to this row and so has it up to the end of its
-- transaction. Only the procedures and triggers below do; nobody else has a right on it. An application lock would not do:
-- anybody who may log in can take one. PurgeStale removes the rows of names that nobody uses.
IF OBJECT_ID(N'lockscope.lock_name', N'U') IS NULL
    CREATE TABLE lockscope.lock_name (
        name_key varbinary(32) NOT NULL CONSTRAINT lock_name_key PRIMARY KEY,
        used_at datetime2(6) NOT NULL CONSTRAINT lock_name_used_at DEFAULT SYSUTCDATETIME()
    );
GO
-- A row is a lock. Acquire = insert; a duplicate key means that somebody else has it, or that others wait for it in the
-- queue. Release = delete with the token. The triggers below set fencing, session, login and token_start (what readers see of
-- the token), whatever an insert says.
-- The key is the name's hash: text comparison ignores spaces at the end, whatever the collation. Times have bounds that a
-- program can reckon with: a lease of a thousand years would never be purged.
IF OBJECT_ID(N'lockscope.lock_entry', N'U') IS NULL
    CREATE TABLE lockscope.lock_entry (
        name nvarchar(255) COLLATE Latin1_General_BIN2 NOT NULL
        CONSTRAINT lock_entry_name CHECK (LEN(name + N'.') BETWEEN 2 AND 256),
        token nvarchar(128) COLLATE Latin1_General_BIN2 NOT NULL,
        fencing bigint NOT NULL CONSTRAINT lock_entry_fencing DEFAULT 0,
        acquired_at datetime2(6) NOT NULL CONSTRAINT lock_entry_acquired_at DEFAULT SYSUTCDATETIME(),
        expires_at datetime2(6) NOT NULL,
        owner nvarchar(256) NOT NULL CONSTRAINT lock_entry_owner DEFAULT SUSER_SNAME(),
        host nvarchar(256) NOT NULL CONSTRAINT lock_entry_host DEFAULT ISNULL(HOST_NAME(), N''),
        program nvarchar(256) NOT NULL CONSTRAINT lock_entry_program DEFAULT ISNULL(APP_NAME(), N''),
        process_id bigint NOT NULL CONSTRAINT lock_entry_process_id DEFAULT 0,
        session_id int NOT NULL CONSTRAINT lock_entry_session_id DEFAULT @@SPID,
        name_key AS CONVERT(varbinary(32), HASHBYTES('SHA2_256', name)) PERSISTED NOT NULL,
        login nvarchar(128) NULL,
        token_start nvarchar(16) NOT NULL CONSTRAINT lock_entry_token_start DEFAULT N'',
        CONSTRAINT lock_entry_key PRIMARY KEY (name_key),
        CONSTRAINT lock_entry_times
        CHECK (acquired_at >= '19700101' AND expires_at > acquired_at AND expires_at <= DATEADD(DAY, 3651, SYSUTCDATETIME()))
    );
GO
-- The visible queue: who waits for a name, since when, in the order of the tickets. A waiter renews its row while it waits; it is
-- alive while the row has not expired and its session holds the application lock `mark`. token_key: a hash of the token that
-- it will use, so that nobody reads a token here. The rows stand in the order in which they are asked for: else a scan of the
-- small table would meet the rows of other names, and two could meet each other.
IF OBJECT_ID(N'lockscope.lock_waiter', N'U') IS NULL
    CREATE TABLE lockscope.lock_waiter (
        ticket bigint IDENTITY (1, 1) NOT NULL,
        name nvarchar(255) COLLATE Latin1_General_BIN2 NOT NULL
        CONSTRAINT lock_waiter_name CHECK (LEN(name + N'.') BETWEEN 2 AND 256),
        registered_at datetime2(6) NOT NULL CONSTRAINT lock_waiter_registered_at DEFAULT SYSUTCDATETIME(),
        expires_at datetime2(6) NOT NULL,
        owner nvarchar(256) NOT NULL CONSTRAINT lock_waiter_owner DEFAULT SUSER_SNAME(),
        host nvarchar(256) NOT NULL CONSTRAINT lock_waiter_host DEFAULT ISNULL(HOST_NAME(), N''),
        program nvarchar(256) NOT NULL CONSTRAINT lock_waiter_program DEFAULT ISNULL(APP_NAME(), N''),
        process_id bigint NOT NULL CONSTRAINT lock_waiter_process_id DEFAULT 0,
        session_id int NOT NULL CONSTRAINT lock_waiter_session_id DEFAULT @@SPID,
        name_key AS CONVERT(varbinary(32), HASHBYTES('SHA2_256', name)) PERSISTED NOT NULL,
        token_key varbinary(32) NULL,
        mark nvarchar(100) COLLATE Latin1_General_BIN2 NULL,
        CONSTRAINT lock_waiter_key PRIMARY KEY (name_key, ticket),
        CONSTRAINT lock_waiter_times
        CHECK (expires_at > registered_at AND expires_at <= DATEADD(MINUTE, 1, SYSUTCDATETIME()))
    );
GO
-- The server shows 32 characters and a hash of an application lock's name; this keeps the names whole.
IF OBJECT_ID(N'lockscope.app_lock_name', N'U') IS NULL
    BEGIN
        CREATE TABLE lockscope.app_lock_name (
            name nvarchar(255) COLLATE Latin1_General_BIN2 NOT NULL,
            first_used_at datetime2(6) NOT NULL CONSTRAINT app_lock_name_first_used_at DEFAULT SYSUTCDATETIME(),
            name_key AS CONVERT(varbinary(32), HASHBYTES('SHA2_256', name)) PERSISTED NOT NULL,
            CONSTRAINT app_lock_name_key PRIMARY KEY (name_key)
        );
        CREATE INDEX app_lock_name_beginning ON lockscope.app_lock_name (name);
    END;
GO
-- One row a key: whose transaction has the row locked has the key. Rows stay.
IF OBJECT_ID(N'lockscope.surrogate_key', N'U') IS NULL
    CREATE TABLE lockscope.surrogate_key (
        [key] nvarchar(255) COLLATE Latin1_General_BIN2 NOT NULL CONSTRAINT surrogate_key_key PRIMARY KEY
    );
GO
-- Every dangerous act: who (the login), from where, what, why, the state before (JSON), the outcome. Written by the procedures
-- and triggers below alone. fencing, session_id and transaction_id tie a row to the act that follows it.
IF OBJECT_ID(N'lockscope.audit_log', N'U') IS NULL
    CREATE TABLE lockscope.audit_log (
        id bigint IDENTITY (1, 1) NOT NULL CONSTRAINT audit_log_key PRIMARY KEY,
        at datetime2(6) NOT NULL CONSTRAINT audit_log_at DEFAULT SYSUTCDATETIME(),
        who nvarchar(256) NOT NULL,
        origin nvarchar(512) NOT NULL,
        act nvarchar(64) NOT NULL,
        target nvarchar(1024) NOT NULL,
        reason nvarchar(MAX) NOT NULL,
        [before] nvarchar(MAX) NOT NULL,
        outcome nvarchar(MAX) NOT NULL,
        fencing bigint NULL,
        session_id int NULL,
        transaction_id bigint NULL
    );
GO
-- The roles that an installation made: an uninstallation removes these and no others.
IF OBJECT_ID(N'lockscope.own_role', N'U') IS NULL
    CREATE TABLE lockscope.own_role (name nvarchar(128) NOT NULL CONSTRAINT own_role_key PRIMARY KEY);
GO
-- Two rows for two sessions that try out whether this database heeds locking hints; nobody changes them.
IF OBJECT_ID(N'lockscope.hint_proof', N'U') IS NULL
    BEGIN
        CREATE TABLE lockscope.hint_proof (id int NOT NULL CONSTRAINT hint_proof_key PRIMARY KEY);
        INSERT INTO lockscope.hint_proof (id) VALUES (1), (2);
    END;
GO
-- The application lock that belongs to a lock-table name, for a purpose. Names have 255 characters, and so have those of
-- application locks: of a long name the beginning and a hash.
IF OBJECT_ID(N'lockscope.AppLockFor', N'FN') IS NOT NULL
    DROP FUNCTION lockscope.AppLockFor;
GO
CREATE FUNCTION lockscope.AppLockFor (@Purpose nvarchar(30), @Name nvarchar(255))
RETURNS nvarchar(255)
AS
BEGIN
    DECLARE @Whole nvarchar(300) = @Purpose + @Name;
    IF LEN(@Whole + N'.' COLLATE Latin1_General_BIN2) <= 256
        RETURN @Whole;
    -- Half of the hash as two numbers: not every server writes bytes as hexadecimal digits.
    DECLARE @Hash varbinary(32) = HASHBYTES('SHA2_256', @Name);
    RETURN LEFT(@Whole COLLATE Latin1_General_BIN2, 180)
        + CONVERT(nvarchar(20), CONVERT(bigint, SUBSTRING(@Hash, 1, 8)))
        + CONVERT(nvarchar(20), CONVERT(bigint, SUBSTRING(@Hash, 9, 8)));
END;
GO
IF OBJECT_ID(N'lockscope.BellPrincipal', N'FN') IS NOT NULL
    DROP FUNCTION lockscope.BellPrincipal;
GO
-- In whose name the bells of the lock table are taken: only members of the role can take or wait for such a lock. Who was
-- granted the procedures without being a member has bells of his own, and is not woken but looks every second.
CREATE FUNCTION lockscope.BellPrincipal ()
RETURNS nvarchar(128)
AS
BEGIN
    RETURN CASE
        WHEN SERVERPROPERTY('BabelfishVersion') IS NOT NULL THEN N'public'
        WHEN IS_ROLEMEMBER(N'lockscope_operator') = 1 OR IS_ROLEMEMBER(N'db_owner') = 1 THEN N'lockscope_operator'
        ELSE N'public'
    END;
END;
GO
IF OBJECT_ID(N'lockscope.RecordAct', N'P') IS NOT NULL
    DROP PROCEDURE lockscope.RecordAct;
GO
-- The only way into the audit: who it was is the login that connected, whatever the caller says of himself in
-- @Origin. An act on an entry of the lock table names its fencing number in @Before (JSON): then the trigger on the entries
-- knows that it is on record. To call in the transaction of the act, before it, with the outcome "begun". The row's number
-- comes back in @Id.
CREATE PROCEDURE lockscope.RecordAct
    @Origin nvarchar(MAX),
    @Act nvarchar(64),
    @Target nvarchar(MAX),
    @Reason nvarchar(MAX),
    @Before nvarchar(MAX),
    @Outcome nvarchar(MAX),
    @Id bigint = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    SET IMPLICIT_TRANSACTIONS OFF;
    SET ROWCOUNT 0;
    SET ANSI_WARNINGS ON;
    SET ANSI_PADDING ON;
    SET ARITHABORT ON;
    SET CONCAT_NULL_YIELDS_NULL ON;
    SET NUMERIC_ROUNDABORT OFF;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    SET LOCK_TIMEOUT 10000;
    DECLARE @Transaction bigint, @Fencing bigint;
    IF SERVERPROPERTY('BabelfishVersion') IS NULL
        SET @Transaction = CURRENT_TRANSACTION_ID();
    IF ISJSON(@Before) = 1
        SET @Fencing = TRY_CONVERT(bigint, JSON_VALUE(@Before, N'$.fencing'));
    INSERT INTO lockscope.audit_log (who, origin, act, target, reason, [before], outcome, fencing, session_id, transaction_id)
    VALUES (
        ORIGINAL_LOGIN(), LEFT(@Origin COLLATE Latin1_General_BIN2, 512), @Act,
        LEFT(@Target COLLATE Latin1_General_BIN2, 1024), @Reason, @Before, @Outcome, @Fencing, @@SPID, @Transaction
    );
    SET @Id = SCOPE_IDENTITY();
    RETURN 0;
END;
GO
IF OBJECT_ID(N'lockscope.RecordOutcome', N'P') IS NOT NULL
    DROP PROCEDURE lockscope.RecordOutcome;
GO
-- How the act ended that this very transaction has put down; 1, or 0 if there is no such row. @Before: what was
-- seen, or null to leave what was recorded.
CREATE PROCEDURE lockscope.RecordOutcome
    @Id bigint,
    @Before nvarchar(MAX),
    @Outcome nvarchar(MAX)
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    SET IMPLICIT_TRANSACTIONS OFF;
    SET ROWCOUNT 0;
    SET ANSI_WARNINGS ON;
    SET ANSI_PADDING ON;
    SET ARITHABORT ON;
    SET CONCAT_NULL_YIELDS_NULL ON;
    SET NUMERIC_ROUNDABORT OFF;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    SET LOCK_TIMEOUT 10000;
    DECLARE @Transaction bigint;
    IF SERVERPROPERTY('BabelfishVersion') IS NULL
        SET @Transaction = CURRENT_TRANSACTION_ID();
    UPDATE lockscope.audit_log SET outcome = @Outcome, [before] = COALESCE(@Before, [before])
    WHERE id = @Id AND session_id = @@SPID AND outcome = N'begun' AND (transaction_id = @Transaction OR @Transaction IS NULL);
    RETURN @@ROWCOUNT;
END;
GO
IF OBJECT_ID(N'lockscope.audit_log_kept', N'TR') IS NOT NULL
    DROP TRIGGER lockscope.audit_log_kept;
GO
-- For those who may write to the audit by hand, too (db_owner; on Babelfish the operators): a row tells the login that
-- wrote it and the time that it was, and changes no more but in how the act ended that its session has begun.
CREATE TRIGGER lockscope.audit_log_kept ON lockscope.audit_log
AFTER INSERT, UPDATE
AS
BEGIN
    SET NOCOUNT ON;
    SET ROWCOUNT 0;
    IF EXISTS (
        SELECT 1
        FROM inserted AS i
        LEFT OUTER JOIN deleted AS d ON i.id = d.id
        WHERE
            i.who <> ORIGINAL_LOGIN()
            OR (d.id IS NULL AND ABS(DATEDIFF_BIG(SECOND, i.at, SYSUTCDATETIME())) > 60)
            OR (
                d.id IS NOT NULL
                AND (
                    d.outcome <> N'begun' OR COALESCE(d.session_id, 0) <> @@SPID
                    OR i.at <> d.at OR i.origin <> d.origin OR i.act <> d.act OR i.target <> d.target OR i.reason <> d.reason
                )
            )
    ) OR (UPDATE(who) AND EXISTS (SELECT 1 FROM deleted))
        BEGIN
            ROLLBACK TRANSACTION;
            RAISERROR (N'The audit can''t be rewritten.', 16, 1);
            RETURN;
        END;
END;
GO
IF OBJECT_ID(N'lockscope.lock_entry_taken', N'TR') IS NOT NULL
    DROP TRIGGER lockscope.lock_entry_taken;
GO
-- All who take a name, by procedure or by plain SQL, go through here: first the guard of the name, then the
-- queue, then the number. So numbers grow in the order in which the grants become visible, and nobody overtakes a live
-- waiter. A refused INSERT ends the transaction that it is in, as any error in a trigger does.
CREATE TRIGGER lockscope.lock_entry_taken ON lockscope.lock_entry
INSTEAD OF INSERT
AS
BEGIN
    SET NOCOUNT ON;
    SET ROWCOUNT 0;
    DECLARE @Now datetime2(6), @Key varbinary(32), @Next varbinary(32), @Times int, @Fencing bigint, @Epoch bigint;
    DECLARE @Server nvarchar(256) = ISNULL(CONVERT(nvarchar(256), SERVERPROPERTY('ServerName')), N'');
    IF EXISTS (SELECT 1 FROM inserted WHERE name IS NULL OR token IS NULL OR expires_at IS NULL)
        BEGIN
            ROLLBACK TRANSACTION;
            RAISERROR (N'A lock has a name, a token and an end of its lease.', 16, 1);
            RETURN;
        END;
    -- Several names at once: in the order of their keys, so that no two statements can meet.
    SET @Next = (
        SELECT TOP (1) CONVERT(varbinary(32), HASHBYTES('SHA2_256', i.name)) AS name_key FROM inserted AS i ORDER BY name_key
    );
    WHILE @Next IS NOT NULL
        BEGIN
            SET @Key = @Next;
            UPDATE lockscope.lock_name SET used_at = SYSUTCDATETIME() WHERE name_key = @Key;
            IF @@ROWCOUNT = 0
                BEGIN
                    -- Of two that come at once the second gets a duplicate key, and that is what it is. A SELECT that keeps the
                    -- place of a missing row locked would make names wait for each other.
                    INSERT INTO lockscope.lock_name (name_key) VALUES (@Key);
                END;
            SET @Now = SYSUTCDATETIME();
            SET @Times = 1;
            -- Others wait for it. Programs know one answer to a name that they can't have: a duplicate key, error 2627. So the
            -- row goes in twice, and not at all. Who waits in vain is not waited for: see AcquireLock.
            IF EXISTS (
                SELECT 1
                FROM lockscope.lock_waiter AS w
                WHERE
                    w.name_key = @Key AND w.expires_at > @Now
                    AND (
                        w.mark IS NULL OR w.session_id = @@SPID
                        OR APPLOCK_TEST(N'public', ISNULL(w.mark, N'-'), N'Exclusive', N'Session') = 0
                    )
                    AND NOT EXISTS (
                        SELECT 1
                        FROM lockscope.lock_waiter AS mine
                        INNER JOIN inserted AS i
                            ON mine.token_key = CONVERT(varbinary(32), HASHBYTES('SHA2_256', i.token)) AND mine.name = i.name
                        WHERE mine.name_key = @Key AND mine.ticket <= w.ticket AND mine.session_id = @@SPID
                    )
            )
                SET @Times = 2;
            IF NOT EXISTS (SELECT 1 FROM lockscope.fencing_epoch WHERE server_name = @Server)
                UPDATE lockscope.fencing_epoch SET epoch = epoch + 1, server_name = @Server WHERE server_name <> @Server;
            SELECT @Epoch = epoch FROM lockscope.fencing_epoch;
            SET @Fencing = NEXT VALUE FOR lockscope.fencing;
            SET @Fencing = @Epoch * CONVERT(bigint, 1099511627776) + @Fencing;
            INSERT INTO lockscope.lock_entry
            (
                name, token, fencing, acquired_at, expires_at, owner, host, program, process_id, session_id, login, token_start
            )
            SELECT
                i.name,
                i.token,
                @Fencing,
                CASE WHEN i.acquired_at < @Now THEN i.acquired_at ELSE @Now END,
                i.expires_at,
                COALESCE(i.owner, SUSER_SNAME()),
                COALESCE(i.host, HOST_NAME(), N''),
                COALESCE(i.program, APP_NAME(), N''),
                COALESCE(i.process_id, 0),
                @@SPID,
                ORIGINAL_LOGIN(),
                LEFT(i.token COLLATE Latin1_General_BIN2, 4) + N'...'
            FROM inserted AS i
            INNER JOIN (SELECT 1 AS number UNION ALL SELECT 2) AS times ON times.number <= @Times
            WHERE CONVERT(varbinary(32), HASHBYTES('SHA2_256', i.name)) = @Key;
            SET @Next = (
                SELECT TOP (1) CONVERT(varbinary(32), HASHBYTES('SHA2_256', i.name)) AS name_key
                FROM inserted AS i
                WHERE CONVERT(varbinary(32), HASHBYTES('SHA2_256', i.name)) > @Key
                ORDER BY name_key
            );
        END;
END;
GO
IF OBJECT_ID(N'lockscope.lock_entry_changed', N'TR') IS NOT NULL
    DROP TRIGGER lockscope.lock_entry_changed;
GO
-- Of a grant only the end may change: another holder is another row, with a number of its own. Who changes the
-- lease of another login is on record.
CREATE TRIGGER lockscope.lock_entry_changed ON lockscope.lock_entry
AFTER UPDATE
AS
BEGIN
    SET NOCOUNT ON;
    SET ROWCOUNT 0;
    IF
        UPDATE(name) OR UPDATE(token) OR UPDATE(fencing) OR UPDATE(acquired_at) OR UPDATE(owner) OR UPDATE(host)
        OR UPDATE(program) OR UPDATE(process_id) OR UPDATE(session_id) OR UPDATE(login)
        OR UPDATE(token_start)
        BEGIN
            ROLLBACK TRANSACTION;
            RAISERROR (N'Of a lock only expires_at can be changed: release it, and take it anew.', 16, 1);
            RETURN;
        END;
    INSERT INTO lockscope.audit_log (who, origin, act, target, reason, [before], outcome, fencing, session_id)
    SELECT
        ORIGINAL_LOGIN(),
        LEFT((ISNULL(HOST_NAME(), N'') + N', ' + ISNULL(APP_NAME(), N'')) COLLATE Latin1_General_BIN2, 512),
        N'change lease',
        N'lock ''' + d.name COLLATE DATABASE_DEFAULT + N''' held by ' + d.owner + N' on ' + d.host,
        N'none was given: its row was changed',
        (
            SELECT
                d.name,
                d.fencing,
                d.acquired_at,
                d.expires_at,
                d.owner,
                d.host,
                d.program,
                d.process_id,
                d.session_id,
                d.login
            FOR JSON PATH, WITHOUT_ARRAY_WRAPPER
        ),
        N'done',
        d.fencing,
        @@SPID
    FROM deleted AS d
    WHERE d.expires_at > SYSUTCDATETIME() AND ISNULL(d.login, N'') <> ORIGINAL_LOGIN();
END;
GO
IF OBJECT_ID(N'lockscope.lock_entry_freed', N'TR') IS NOT NULL
    DROP TRIGGER lockscope.lock_entry_freed;
GO
-- Freeing what another login holds is a forced release, however it is done, by a token that was only seen, too:
-- it is on record with what the server knows, in a row of its own beside what the act says of itself.
CREATE TRIGGER lockscope.lock_entry_freed ON lockscope.lock_entry
AFTER DELETE
AS
BEGIN
    SET NOCOUNT ON;
    SET ROWCOUNT 0;
    INSERT INTO lockscope.audit_log (who, origin, act, target, reason, [before], outcome, fencing, session_id)
    SELECT
        ORIGINAL_LOGIN(),
        LEFT((ISNULL(HOST_NAME(), N'') + N', ' + ISNULL(APP_NAME(), N'')) COLLATE Latin1_General_BIN2, 512),
        N'release lock',
        N'lock ''' + d.name COLLATE DATABASE_DEFAULT + N''' held by ' + d.owner + N' on ' + d.host,
        N'as the server saw it',
        (
            SELECT
                d.name,
                d.fencing,
                d.acquired_at,
                d.expires_at,
                d.owner,
                d.host,
                d.program,
                d.process_id,
                d.session_id,
                d.login
            FOR JSON PATH, WITHOUT_ARRAY_WRAPPER
        ),
        N'done',
        d.fencing,
        @@SPID
    FROM deleted AS d
    WHERE d.expires_at > SYSUTCDATETIME() AND ISNULL(d.login, N'') <> ORIGINAL_LOGIN();
END;
GO
IF OBJECT_ID(N'lockscope.AcquireLock', N'P') IS NOT NULL
    DROP PROCEDURE lockscope.AcquireLock;
GO
-- Takes a lock-table name for @LeaseUs microseconds; waits for it @WaitMs at most (0 = not at all, -1 = for ever), all in
-- one call. Returns one row: fencing (null = not granted), acquired and expires in microseconds since 1970, ticket,
-- microseconds until the obstacle ends by itself, who has it (owner, host, program, process, session), and the answer,
-- which is the return code, too (@Fencing and @ExpiresUs can be had as OUTPUT, for T-SQL): 0 granted at once, 1 granted after waiting, -1 not granted, -3 deadlock victim,
-- 2 not yet: this server can't wait (Babelfish), call again with the ticket soon. A ticket counts only with the token and in
-- the session that it was given to.
--
-- Atomic: every check happens under the guard of the name, a row that outsiders have no right on, under READ COMMITTED with or
-- without row versions. The trigger draws the fencing number under it, too. No lock of the server's is waited for longer than
-- a second at a time, nor much longer than @WaitMs: somebody who keeps a table locked delays an answer, and no more.
--
-- How it waits: a holder's session also holds an application lock of its session, the bell. Waiters queue for the bell
-- inside the server and are woken by the release at once; who gets it looks again. A lock outlives its session,
-- a bell does not: if the bell is free while the row lives, the first waiter keeps the bell and looks every 100 ms, the
-- others stay behind it. An account that frees another session's row can't ring: so nobody waits for a bell longer than a
-- second before it looks, or than the holder's lease. A waiter's session holds another application lock, its mark: whose mark
-- is gone has died, and the next session steps over it.
-- Babelfish knows no WAITFOR, and there each application lock that times out brings the server nearer to a crash (4.3: five
-- in a session): one that has to wait is asked to call again. A wait for a row that takes too long is no error 1222 there,
-- can't be caught, and reaches the caller.
-- Call it outside of a transaction: others must see the row. After a call that was cancelled: lockscope.LeaveQueue.
CREATE PROCEDURE lockscope.AcquireLock
    @Name nvarchar(4000),
    @Token nvarchar(4000),
    @LeaseUs bigint,
    @WaitMs bigint = 0,
    @Ticket bigint = NULL,
    @Owner nvarchar(256) = NULL,
    @Host nvarchar(256) = NULL,
    @Program nvarchar(256) = NULL,
    @ProcessId bigint = 0,
    @Fencing bigint = NULL OUTPUT,
    @ExpiresUs bigint = NULL OUTPUT
AS
BEGIN
    SET NOCOUNT ON;
    SET IMPLICIT_TRANSACTIONS OFF;
    SET @Fencing = NULL;
    SET @ExpiresUs = NULL;
    IF @@TRANCOUNT > 0
        BEGIN
            RAISERROR (N'lockscope.AcquireLock can''t be called inside a transaction: others would not see the lock, and a rollback would take it away. Commit first; a program whose connection always has one open (without autocommit) needs another, with autocommit, for locks.', 16, 1);
            RETURN -999;
        END;
    SET XACT_ABORT ON;
    SET ROWCOUNT 0;
    SET ANSI_WARNINGS ON;
    SET ANSI_PADDING ON;
    SET ARITHABORT ON;
    SET CONCAT_NULL_YIELDS_NULL ON;
    SET NUMERIC_ROUNDABORT OFF;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    DECLARE
        @Key varbinary(32), @TokenKey varbinary(32), @Bell nvarchar(255), @Principal nvarchar(128), @Mark nvarchar(100),
        @Now datetime2(6), @Start datetime2(6), @Expires datetime2(6), @Acquired datetime2(6), @Mine bigint,
        @HadBell bit, @HasLeft bit = 0, @Looks int = 0, @Races int = 0, @Error int, @Answer int, @Code int, @Slice int,
        @HeldUntil datetime2(6), @AheadUntil datetime2(6), @ObstacleMs bigint, @LeftMs bigint,
        @HolderOwner nvarchar(256), @HolderHost nvarchar(256), @HolderProgram nvarchar(256), @HolderProcess bigint,
        @HolderSession bigint;
    IF
        @Name IS NULL OR LEN(CONVERT(nvarchar(MAX), @Name) + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND 256
        OR @Token IS NULL OR LEN(CONVERT(nvarchar(MAX), @Token) + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND 129
        OR @LeaseUs IS NULL OR @LeaseUs NOT BETWEEN 1 AND 315360000000000 OR @WaitMs IS NULL OR @WaitMs < -1
        BEGIN
            RAISERROR (N'lockscope.AcquireLock: a name has 1 to 255 characters, a token 1 to 128; a lease is longer than nothing and no longer than ten years; a wait is -1, 0 or more.', 16, 1);
            RETURN -999;
        END;
    SET @Key = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @Name)));
    SET @TokenKey = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(128), @Token)));
    SET @Mark = N'lockscope session ' + CONVERT(nvarchar(20), CONVERT(bigint, SUBSTRING(@TokenKey, 1, 8)))
        + CONVERT(nvarchar(20), CONVERT(bigint, SUBSTRING(@TokenKey, 9, 8)));
    SET @Bell = lockscope.AppLockFor(N'lockscope:', @Name);
    SET @Principal = lockscope.BellPrincipal();
    SET @Start = SYSUTCDATETIME();
    SET @HadBell = CASE WHEN APPLOCK_MODE(@Principal, @Bell, N'Session') = N'NoLock' THEN 0 ELSE 1 END;
    IF @WaitMs <> 0 AND APPLOCK_MODE(N'public', @Mark, N'Session') = N'NoLock'
        EXECUTE sys.sp_getapplock
            @Resource = @Mark, @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = 0, @DbPrincipal = N'public';
    IF APPLOCK_MODE(N'public', @Mark, N'Session') = N'NoLock'
        SET @Mark = NULL;

    WHILE @Answer IS NULL
        BEGIN
            SET @LeftMs = CASE
                WHEN @WaitMs = -1 THEN 1000 ELSE @WaitMs - DATEDIFF_BIG(MILLISECOND, @Start, SYSUTCDATETIME())
            END;
            IF @LeftMs >= 1000
                SET LOCK_TIMEOUT 1000;
            ELSE
                SET LOCK_TIMEOUT 250;
            BEGIN TRY
                -- To see that the name is held needs no guard, and writes nothing: neither for the many who don't wait, nor
                -- for a waiter whose place in the queue is good for some seconds more.
                SET @HeldUntil = NULL;
                IF
                    @WaitMs = 0
                    OR (
                        (@WaitMs = -1 OR DATEDIFF_BIG(MILLISECOND, @Start, SYSUTCDATETIME()) < @WaitMs)
                        AND EXISTS (
                            SELECT 1 FROM lockscope.lock_waiter
                            WHERE
                                name_key = @Key AND ticket = @Ticket AND session_id = @@SPID AND token_key = @TokenKey
                                AND expires_at > DATEADD(SECOND, 7, SYSUTCDATETIME())
                        )
                    )
                    SET @HeldUntil = (
                        SELECT expires_at FROM lockscope.lock_entry WHERE name_key = @Key AND expires_at > SYSUTCDATETIME()
                    );
                SET @Now = SYSUTCDATETIME();
                IF @HeldUntil IS NULL
                    BEGIN
                        BEGIN TRANSACTION;
                        UPDATE lockscope.lock_name SET used_at = SYSUTCDATETIME() WHERE name_key = @Key;
                        IF @@ROWCOUNT = 0
                            INSERT INTO lockscope.lock_name (name_key) VALUES (@Key);
                        SET @Now = SYSUTCDATETIME();
                        DELETE FROM lockscope.lock_entry WHERE name_key = @Key AND expires_at <= @Now;
                        SET @Mine = (
                            SELECT ticket FROM lockscope.lock_waiter
                            WHERE name_key = @Key AND ticket = @Ticket AND session_id = @@SPID AND token_key = @TokenKey
                        );
                        -- The dead, and any session that waits under this token without a ticket: a call that was cut off.
                        DELETE FROM lockscope.lock_waiter
                        WHERE
                            name_key = @Key AND (@Mine IS NULL OR ticket <> @Mine)
                            AND (
                                expires_at <= @Now
                                OR (session_id = @@SPID AND token_key = @TokenKey)
                                OR (
                                    mark IS NOT NULL AND session_id <> @@SPID
                                    AND APPLOCK_TEST(N'public', ISNULL(mark, N'-'), N'Exclusive', N'Session') = 1
                                )
                            );
                        SET @AheadUntil = (
                            SELECT TOP (1) expires_at FROM lockscope.lock_waiter
                            WHERE name_key = @Key AND (@Mine IS NULL OR ticket < @Mine)
                            ORDER BY ticket
                        );
                        SET @HeldUntil = (SELECT expires_at FROM lockscope.lock_entry WHERE name_key = @Key);
                        IF @HeldUntil IS NULL AND @AheadUntil IS NULL
                            BEGIN
                                SET @Expires = DATEADD(MICROSECOND, CONVERT(int, @LeaseUs % 1000000),
                                    DATEADD(SECOND, CONVERT(int, @LeaseUs / 1000000), @Now));
                                INSERT INTO lockscope.lock_entry
                                (name, token, acquired_at, expires_at, owner, host, program, process_id)
                                VALUES (
                                    @Name, @Token, @Now, @Expires, ISNULL(@Owner, SUSER_SNAME()),
                                    COALESCE(@Host, HOST_NAME(), N''), COALESCE(@Program, APP_NAME(), N''), @ProcessId
                                );
                                SELECT
                                    @Fencing = fencing,
                                    @Acquired = acquired_at,
                                    @Expires = expires_at
                                FROM lockscope.lock_entry
                                WHERE name_key = @Key AND token = @Token;
                                DELETE FROM lockscope.lock_waiter WHERE name_key = @Key AND ticket = @Mine;
                                IF APPLOCK_MODE(@Principal, @Bell, N'Session') = N'NoLock'
                                    EXECUTE sys.sp_getapplock
                                        @Resource = @Bell, @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = 0,
                                        @DbPrincipal = @Principal;
                                SET @Answer = CASE WHEN @Looks = 0 THEN 0 ELSE 1 END;
                            END
                        ELSE IF @WaitMs = -1 OR DATEDIFF_BIG(MILLISECOND, @Start, @Now) < @WaitMs
                            BEGIN
                                UPDATE lockscope.lock_waiter SET expires_at = DATEADD(SECOND, 10, @Now)
                                WHERE name_key = @Key AND ticket = @Mine AND expires_at < DATEADD(SECOND, 8, @Now);
                                IF @Mine IS NULL
                                    BEGIN
                                        INSERT INTO lockscope.lock_waiter
                                        (name, registered_at, expires_at, owner, host, program, process_id, token_key, mark)
                                        VALUES (
                                            @Name, @Now, DATEADD(SECOND, 10, @Now), ISNULL(@Owner, SUSER_SNAME()),
                                            COALESCE(@Host, HOST_NAME(), N''), COALESCE(@Program, APP_NAME(), N''),
                                            @ProcessId, @TokenKey, @Mark
                                        );
                                        SET @Ticket = SCOPE_IDENTITY();
                                    END;
                            END
                        ELSE
                            BEGIN
                                DELETE FROM lockscope.lock_waiter WHERE name_key = @Key AND ticket = @Mine;
                                SET @HasLeft = 1;
                                SET @Answer = -1;
                            END;
                        COMMIT TRANSACTION;
                    END
                ELSE IF @WaitMs = 0
                    SET @Answer = -1;
                SET @Looks = @Looks + 1;

                IF @Answer IS NULL
                    BEGIN
                        SET @LeftMs = CASE
                            WHEN @WaitMs = -1 THEN 1000 ELSE @WaitMs - DATEDIFF_BIG(MILLISECOND, @Start, SYSUTCDATETIME())
                        END;
                        SET @ObstacleMs = DATEDIFF_BIG(MILLISECOND, @Now, COALESCE(@HeldUntil, @AheadUntil)) + 1;
                        SET @Slice = 1000;
                        IF @LeftMs < @Slice SET @Slice = @LeftMs;
                        IF @ObstacleMs < @Slice SET @Slice = @ObstacleMs;
                        IF @Slice < 1 SET @Slice = 1;
                        IF SERVERPROPERTY('BabelfishVersion') IS NOT NULL
                            SET @Answer = 2;
                        ELSE IF APPLOCK_MODE(@Principal, @Bell, N'Session') = N'NoLock'
                            BEGIN
                                EXECUTE @Code = sys.sp_getapplock
                                    @Resource = @Bell, @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = @Slice,
                                    @DbPrincipal = @Principal;
                                IF @Code = -3
                                    SET @Answer = -3;
                                IF @Code NOT IN (0, 1, -1, -3)
                                    RAISERROR (N'lockscope.AcquireLock: the wait ended with %d.', 16, 1, @Code);
                            END
                        ELSE
                            BEGIN
                                -- Free, but not our turn: the bell is for the one whose turn it is.
                                IF @HadBell = 0 AND @HeldUntil IS NULL
                                    EXECUTE sys.sp_releaseapplock
                                        @Resource = @Bell, @LockOwner = 'Session', @DbPrincipal = @Principal;
                                IF @Slice < 100
                                    EXECUTE (N'WAITFOR DELAY ''00:00:00.010''');
                                ELSE
                                    EXECUTE (N'WAITFOR DELAY ''00:00:00.100''');
                            END;
                    END;
            END TRY
            BEGIN CATCH
                SET @Error = ERROR_NUMBER();
                IF XACT_STATE() <> 0
                    ROLLBACK TRANSACTION;
                SET @Fencing = NULL;
                SET @Answer = NULL;
                -- Somebody has the guard, a row or a table locked (1222), met us at it (1205), or was quicker (2601, 2627).
                SET @Races = @Races + CASE WHEN @Error IN (1205, 2601, 2627) THEN 1 ELSE 10 END;
                -- Who fails leaves its place in the queue to be stepped over: its mark is gone.
                IF @Error NOT IN (1205, 1222, 2601, 2627)
                    BEGIN
                        IF @HadBell = 0 AND APPLOCK_MODE(@Principal, @Bell, N'Session') <> N'NoLock'
                            EXECUTE sys.sp_releaseapplock
                                @Resource = @Bell, @LockOwner = 'Session', @DbPrincipal = @Principal;
                        IF @Mark IS NOT NULL AND APPLOCK_MODE(N'public', ISNULL(@Mark, N'-'), N'Session') <> N'NoLock'
                            EXECUTE sys.sp_releaseapplock
                                @Resource = @Mark, @LockOwner = 'Session', @DbPrincipal = N'public';
                        THROW;
                    END;
                IF @Races >= 10 AND @WaitMs <> -1 AND DATEDIFF_BIG(MILLISECOND, @Start, SYSUTCDATETIME()) >= @WaitMs
                    SET @Answer = -1;
            END CATCH;
        END;

    IF @Answer <> 2 AND @Mark IS NOT NULL AND APPLOCK_MODE(N'public', ISNULL(@Mark, N'-'), N'Session') <> N'NoLock'
        EXECUTE sys.sp_releaseapplock @Resource = @Mark, @LockOwner = 'Session', @DbPrincipal = N'public';
    IF @Answer < 0 OR @Answer = 2
        BEGIN
            IF @HadBell = 0 AND APPLOCK_MODE(@Principal, @Bell, N'Session') <> N'NoLock'
                EXECUTE sys.sp_releaseapplock @Resource = @Bell, @LockOwner = 'Session', @DbPrincipal = @Principal;
            SET LOCK_TIMEOUT 250;
            BEGIN TRY
                IF @Answer < 0 AND @Ticket IS NOT NULL AND @HasLeft = 0
                    BEGIN
                        BEGIN TRANSACTION;
                        UPDATE lockscope.lock_name SET used_at = SYSUTCDATETIME() WHERE name_key = @Key;
                        DELETE FROM lockscope.lock_waiter
                        WHERE name_key = @Key AND ticket = @Ticket AND session_id = @@SPID AND token_key = @TokenKey;
                        COMMIT TRANSACTION;
                    END;
                -- The holder; or the waiter whose turn it is, if the name is free but reserved. Who is about to get it
                -- blocks, too.
                SELECT TOP (1)
                    @HolderOwner = o.owner, @HolderHost = o.host, @HolderProgram = o.program, @HolderProcess = o.process_id,
                    @HolderSession = o.session_id, @HeldUntil = o.expires_at
                FROM (
                    SELECT CAST(0 AS bigint) AS place, owner, host, program, process_id, session_id, expires_at
                    FROM lockscope.lock_entry WITH (READUNCOMMITTED)
                    WHERE name_key = @Key AND expires_at > SYSUTCDATETIME()
                    UNION ALL
                    SELECT ticket, owner, host, program, process_id, session_id, expires_at
                    FROM lockscope.lock_waiter WITH (READUNCOMMITTED)
                    WHERE name_key = @Key AND expires_at > SYSUTCDATETIME() AND (@Ticket IS NULL OR ticket < @Ticket)
                ) AS o
                ORDER BY o.place;
            END TRY
            BEGIN CATCH
                -- It is only reported who blocks; what is left of a place in the queue lapses.
                IF XACT_STATE() <> 0
                    ROLLBACK TRANSACTION;
            END CATCH;
        END;
    IF @Fencing IS NOT NULL
        SET @ExpiresUs = DATEDIFF_BIG(MICROSECOND, '19700101', @Expires);
    SELECT
        @Fencing AS fencing,
        DATEDIFF_BIG(MICROSECOND, '19700101', CASE WHEN @Fencing IS NOT NULL THEN @Acquired END) AS acquired_us,
        @ExpiresUs AS expires_us,
        CASE WHEN @Answer = 2 THEN @Ticket END AS ticket,
        CASE
            WHEN @HolderSession IS NULL OR @HeldUntil <= SYSUTCDATETIME() THEN 0
            ELSE DATEDIFF_BIG(MICROSECOND, SYSUTCDATETIME(), @HeldUntil)
        END AS recheck_us,
        @HolderOwner AS holder_owner,
        @HolderHost AS holder_host,
        @HolderProgram AS holder_program,
        @HolderProcess AS holder_process_id,
        @HolderSession AS holder_session_id,
        @Answer AS answer;
    RETURN @Answer;
END;
GO
IF OBJECT_ID(N'lockscope.RenewLock', N'P') IS NOT NULL
    DROP PROCEDURE lockscope.RenewLock;
GO
-- Prolongs the lease from now: its new end in microseconds since 1970, or null if the row is not ours any more.
CREATE PROCEDURE lockscope.RenewLock
    @Name nvarchar(4000),
    @Token nvarchar(4000),
    @LeaseUs bigint
AS
BEGIN
    SET NOCOUNT ON;
    SET IMPLICIT_TRANSACTIONS OFF;
    IF @@TRANCOUNT > 0
        BEGIN
            RAISERROR (N'lockscope.RenewLock can''t be called inside a transaction: a rollback would shorten the lease that it told. Commit first; a program whose connection always has one open (without autocommit) needs another, with autocommit, for locks.', 16, 1);
            RETURN -999;
        END;
    SET XACT_ABORT ON;
    SET ROWCOUNT 0;
    SET ANSI_WARNINGS ON;
    SET ANSI_PADDING ON;
    SET ARITHABORT ON;
    SET CONCAT_NULL_YIELDS_NULL ON;
    SET NUMERIC_ROUNDABORT OFF;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    SET LOCK_TIMEOUT 5000;
    IF @Name IS NULL OR LEN(CONVERT(nvarchar(MAX), @Name) + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND 256
        BEGIN
            RAISERROR (N'lockscope.RenewLock: a name has 1 to 255 characters.', 16, 1);
            RETURN -999;
        END;
    IF @LeaseUs IS NULL OR @LeaseUs NOT BETWEEN 1 AND 315360000000000
        BEGIN
            RAISERROR (N'lockscope.RenewLock: a lease is longer than nothing and no longer than ten years.', 16, 1);
            RETURN -999;
        END;
    DECLARE @Expires datetime2(6) = DATEADD(MICROSECOND, CONVERT(int, @LeaseUs % 1000000),
        DATEADD(SECOND, CONVERT(int, @LeaseUs / 1000000), SYSUTCDATETIME()));
    -- What was taken before a failover is not renewed: the commits that others relied on may be lost.
    DECLARE @Server nvarchar(256) = ISNULL(CONVERT(nvarchar(256), SERVERPROPERTY('ServerName')), N'');
    IF NOT EXISTS (SELECT 1 FROM lockscope.fencing_epoch WHERE server_name = @Server)
        UPDATE lockscope.fencing_epoch SET epoch = epoch + 1, server_name = @Server WHERE server_name <> @Server;
    UPDATE lockscope.lock_entry SET expires_at = @Expires
    WHERE
        name_key = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @Name))) AND token = @Token
        AND fencing >= (SELECT f.epoch * CONVERT(bigint, 1099511627776) FROM lockscope.fencing_epoch AS f);
    IF @@ROWCOUNT = 0
        SET @Expires = NULL;
    SELECT DATEDIFF_BIG(MICROSECOND, '19700101', @Expires) AS expires_us;
END;
GO
IF OBJECT_ID(N'lockscope.ReleaseLock', N'P') IS NOT NULL
    DROP PROCEDURE lockscope.ReleaseLock;
GO
-- Frees a name and rings the bell for the next; 0 if the row is not ours any more, and then nothing is touched. Who gives
-- back what another login took is on record: see lock_entry_freed.
CREATE PROCEDURE lockscope.ReleaseLock
    @Name nvarchar(4000),
    @Token nvarchar(4000)
AS
BEGIN
    SET NOCOUNT ON;
    SET IMPLICIT_TRANSACTIONS OFF;
    IF @@TRANCOUNT > 0
        BEGIN
            RAISERROR (N'lockscope.ReleaseLock can''t be called inside a transaction: a rollback would take the lock again. Commit first; a program whose connection always has one open (without autocommit) needs another, with autocommit, for locks.', 16, 1);
            RETURN -999;
        END;
    SET XACT_ABORT ON;
    SET ROWCOUNT 0;
    SET ANSI_WARNINGS ON;
    SET ANSI_PADDING ON;
    SET ARITHABORT ON;
    SET CONCAT_NULL_YIELDS_NULL ON;
    SET NUMERIC_ROUNDABORT OFF;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    SET LOCK_TIMEOUT 10000;
    -- A longer name would be cut silently, here and in the others, and the lock of another name be given back.
    IF @Name IS NULL OR LEN(CONVERT(nvarchar(MAX), @Name) + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND 256
        BEGIN
            RAISERROR (N'lockscope.ReleaseLock: a name has 1 to 255 characters.', 16, 1);
            RETURN -999;
        END;
    DECLARE
        @Key varbinary(32) = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @Name))),
        @Bell nvarchar(255) = lockscope.AppLockFor(N'lockscope:', @Name),
        @Principal nvarchar(128) = lockscope.BellPrincipal(),
        @Gone int;
    DELETE FROM lockscope.lock_entry WHERE name_key = @Key AND token = @Token;
    SET @Gone = @@ROWCOUNT;
    -- The bell stays with a session that holds the name again, under another token.
    IF
        APPLOCK_MODE(@Principal, @Bell, N'Session') <> N'NoLock'
        AND NOT EXISTS (SELECT 1 FROM lockscope.lock_entry WHERE name_key = @Key AND session_id = @@SPID)
        EXECUTE sys.sp_releaseapplock @Resource = @Bell, @LockOwner = 'Session', @DbPrincipal = @Principal;
    SELECT CAST(@Gone AS bit) AS was_ours;
END;
GO
IF OBJECT_ID(N'lockscope.LeaveQueue', N'P') IS NOT NULL
    DROP PROCEDURE lockscope.LeaveQueue;
GO
-- A waiter gives up: takes back its registration, whatever was granted to it meanwhile, mark and bell. The bell wakes the
-- next waiter.
CREATE PROCEDURE lockscope.LeaveQueue
    @Name nvarchar(4000),
    @Token nvarchar(4000)
AS
BEGIN
    SET NOCOUNT ON;
    SET IMPLICIT_TRANSACTIONS OFF;
    IF @@TRANCOUNT > 0
        BEGIN
            RAISERROR (N'lockscope.LeaveQueue can''t be called inside a transaction: a rollback would queue the caller again. Commit first; a program whose connection always has one open (without autocommit) needs another, with autocommit, for locks.', 16, 1);
            RETURN -999;
        END;
    SET XACT_ABORT ON;
    SET ROWCOUNT 0;
    SET ANSI_WARNINGS ON;
    SET ANSI_PADDING ON;
    SET ARITHABORT ON;
    SET CONCAT_NULL_YIELDS_NULL ON;
    SET NUMERIC_ROUNDABORT OFF;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    SET LOCK_TIMEOUT 10000;
    IF
        @Name IS NULL OR LEN(CONVERT(nvarchar(MAX), @Name) + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND 256
        OR @Token IS NULL OR LEN(CONVERT(nvarchar(MAX), @Token) + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND 129
        BEGIN
            RAISERROR (N'lockscope.LeaveQueue: a name has 1 to 255 characters, a token 1 to 128.', 16, 1);
            RETURN -999;
        END;
    DECLARE
        @Key varbinary(32) = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @Name))),
        @TokenKey varbinary(32) = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(128), @Token))),
        @Mark nvarchar(100);
    SET @Mark = N'lockscope session ' + CONVERT(nvarchar(20), CONVERT(bigint, SUBSTRING(@TokenKey, 1, 8)))
        + CONVERT(nvarchar(20), CONVERT(bigint, SUBSTRING(@TokenKey, 9, 8)));
    IF @Mark IS NOT NULL AND APPLOCK_MODE(N'public', ISNULL(@Mark, N'-'), N'Session') <> N'NoLock'
        EXECUTE sys.sp_releaseapplock @Resource = @Mark, @LockOwner = 'Session', @DbPrincipal = N'public';
    -- A session that decides about the name just now has its guard: then it sees this place taken or gone, and nothing between.
    BEGIN TRANSACTION;
    UPDATE lockscope.lock_name SET used_at = SYSUTCDATETIME() WHERE name_key = @Key;
    DELETE FROM lockscope.lock_waiter WHERE name_key = @Key AND session_id = @@SPID AND token_key = @TokenKey;
    COMMIT TRANSACTION;
    EXECUTE lockscope.ReleaseLock @Name = @Name, @Token = @Token;
END;
GO
IF OBJECT_ID(N'lockscope.PurgeStale', N'P') IS NOT NULL
    DROP PROCEDURE lockscope.PurgeStale;
GO
-- Frees whatever is stale and forgets waiters that crashed and names that nobody uses; how many names were freed.
CREATE PROCEDURE lockscope.PurgeStale
AS
BEGIN
    SET NOCOUNT ON;
    SET IMPLICIT_TRANSACTIONS OFF;
    IF @@TRANCOUNT > 0
        BEGIN
            RAISERROR (N'lockscope.PurgeStale can''t be called inside a transaction: a rollback would bring back what it freed. Commit first; a program whose connection always has one open (without autocommit) needs another, with autocommit, for locks.', 16, 1);
            RETURN -999;
        END;
    SET XACT_ABORT ON;
    SET ROWCOUNT 0;
    SET ANSI_WARNINGS ON;
    SET ANSI_PADDING ON;
    SET ARITHABORT ON;
    SET CONCAT_NULL_YIELDS_NULL ON;
    SET NUMERIC_ROUNDABORT OFF;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    SET LOCK_TIMEOUT 10000;
    DECLARE @Freed bigint;
    DELETE FROM lockscope.lock_waiter WHERE expires_at <= SYSUTCDATETIME();
    DELETE FROM lockscope.lock_entry WHERE expires_at <= SYSUTCDATETIME();
    SET @Freed = @@ROWCOUNT;
    -- A session that has the guard of a name just now keeps it: that row is passed over, or was just used.
    DELETE FROM lockscope.lock_name WITH (READPAST, READCOMMITTEDLOCK, ROWLOCK)
    WHERE
        used_at < DATEADD(HOUR, -1, SYSUTCDATETIME())
        AND name_key NOT IN (SELECT e.name_key FROM lockscope.lock_entry AS e)
        AND name_key NOT IN (SELECT w.name_key FROM lockscope.lock_waiter AS w);
    SELECT @Freed AS freed;
END;
GO
IF OBJECT_ID(N'lockscope.RegisterAppLockName', N'P') IS NOT NULL
    DROP PROCEDURE lockscope.RegisterAppLockName;
GO
-- Keeps the name of an application lock whole for the monitor. Inside of a transaction it does nothing: the row would stay
-- invisible and could make others wait.
CREATE PROCEDURE lockscope.RegisterAppLockName
    @Name nvarchar(4000)
AS
BEGIN
    SET NOCOUNT ON;
    SET IMPLICIT_TRANSACTIONS OFF;
    SET ROWCOUNT 0;
    SET ANSI_WARNINGS ON;
    SET ANSI_PADDING ON;
    SET ARITHABORT ON;
    SET CONCAT_NULL_YIELDS_NULL ON;
    SET NUMERIC_ROUNDABORT OFF;
    IF @Name IS NULL OR LEN(CONVERT(nvarchar(MAX), @Name) + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND 256
        BEGIN
            RAISERROR (N'lockscope.RegisterAppLockName: a name has 1 to 255 characters.', 16, 1);
            RETURN -999;
        END;
    DECLARE @Key varbinary(32) = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @Name)));
    IF @@TRANCOUNT > 0
        RETURN 0;
    SET LOCK_TIMEOUT 250;
    BEGIN TRY
        INSERT INTO lockscope.app_lock_name (name)
        SELECT @Name
        WHERE NOT EXISTS (SELECT 1 FROM lockscope.app_lock_name WHERE name_key = @Key);
    END TRY
    BEGIN CATCH
        -- Somebody else was quicker, or keeps the table locked.
        IF ERROR_NUMBER() NOT IN (1222, 2601, 2627)
            BEGIN;
                THROW;
            END;
    END CATCH;
    RETURN 0;
END;
GO
IF OBJECT_ID(N'lockscope.AcquireAppLock', N'P') IS NOT NULL
    DROP PROCEDURE lockscope.AcquireAppLock;
GO
-- The pair that goes round the work which only one server of a farm may do: an exclusive application lock of the session.
-- Returns 0 if obtained at once, 1 after waiting (somebody else did the work just now?); else an error of severity 15.
CREATE PROCEDURE lockscope.AcquireAppLock
    @Name nvarchar(4000),
    @TimeoutMs int = 100000
AS
BEGIN
    SET NOCOUNT ON;
    SET IMPLICIT_TRANSACTIONS OFF;
    SET ROWCOUNT 0;
    SET ANSI_WARNINGS ON;
    SET ANSI_PADDING ON;
    SET ARITHABORT ON;
    SET CONCAT_NULL_YIELDS_NULL ON;
    SET NUMERIC_ROUNDABORT OFF;
    DECLARE @Answer int;
    -- Longer names would be cut silently, and two locks become one.
    IF @Name IS NULL OR LEN(CONVERT(nvarchar(MAX), @Name) + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND 256
        BEGIN
            RAISERROR (N'The name of an application lock has 1 to 255 characters.', 15, 1);
            RETURN -999;
        END;
    EXECUTE @Answer = sys.sp_getapplock
        @Resource = @Name, @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = @TimeoutMs;
    IF @Answer < 0
        RAISERROR (N'The application lock "%s" was not obtained within %d ms (sp_getapplock returned %d).', 15, 1,
        @Name, @TimeoutMs, @Answer);
    ELSE
        EXECUTE lockscope.RegisterAppLockName @Name = @Name;
    RETURN @Answer;
END;
GO
IF OBJECT_ID(N'lockscope.ReleaseAppLock', N'P') IS NOT NULL
    DROP PROCEDURE lockscope.ReleaseAppLock;
GO
-- One release for one acquire: 0, or an error of severity 15 if the session does not hold it.
CREATE PROCEDURE lockscope.ReleaseAppLock
    @Name nvarchar(4000)
AS
BEGIN
    SET NOCOUNT ON;
    SET IMPLICIT_TRANSACTIONS OFF;
    SET ROWCOUNT 0;
    SET ANSI_WARNINGS ON;
    SET ANSI_PADDING ON;
    SET ARITHABORT ON;
    SET CONCAT_NULL_YIELDS_NULL ON;
    SET NUMERIC_ROUNDABORT OFF;
    IF
        @Name IS NULL OR LEN(CONVERT(nvarchar(MAX), @Name) + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND 256
        OR APPLOCK_MODE(N'public', CONVERT(nvarchar(255), @Name), N'Session') = N'NoLock'
        BEGIN
            RAISERROR (N'The application lock "%s" is not held by this session.', 15, 1, @Name);
            RETURN -999;
        END;
    EXECUTE sys.sp_releaseapplock @Resource = @Name, @LockOwner = 'Session';
    RETURN 0;
END;
GO
IF OBJECT_ID(N'lockscope.LockSurrogateKey', N'P') IS NOT NULL
    DROP PROCEDURE lockscope.LockSurrogateKey;
GO
-- Inside of a transaction: waits (LOCK_TIMEOUT at most) until nobody else has this key, then has it up to the transaction's
-- end. With IMPLICIT_TRANSACTIONS on and none open, this call begins it. A key that is new is inserted, and the second session
-- finds it: "IF NOT EXISTS … INSERT" by itself is a race, and a SELECT that keeps the place of a missing row locked would make
-- others wait for keys that they don't share.
CREATE PROCEDURE lockscope.LockSurrogateKey
    @Key nvarchar(4000)
AS
BEGIN
    SET NOCOUNT ON;
    -- Longer keys would be cut silently, and two keys become one.
    IF @Key IS NULL OR LEN(CONVERT(nvarchar(MAX), @Key) + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND 256
        BEGIN
            RAISERROR (N'A surrogate key has 1 to 255 characters.', 16, 1);
            RETURN -999;
        END;
    IF @@TRANCOUNT = 0 AND @@OPTIONS & 2 = 0
        BEGIN
            RAISERROR (N'lockscope.LockSurrogateKey needs a transaction: the lock would end with the call.', 16, 1);
            RETURN -999;
        END;
    SET ROWCOUNT 0;
    SET ANSI_WARNINGS ON;
    SET ANSI_PADDING ON;
    SET ARITHABORT ON;
    SET CONCAT_NULL_YIELDS_NULL ON;
    SET NUMERIC_ROUNDABORT OFF;
    DECLARE @Rows int = 0;
    WHILE @Rows = 0
        BEGIN
            SET XACT_ABORT ON;
            SELECT @Rows = COUNT(*) FROM lockscope.surrogate_key WITH (UPDLOCK, ROWLOCK, READCOMMITTEDLOCK)
            WHERE [key] = @Key;
            -- That somebody else was quicker must not end the transaction.
            SET XACT_ABORT OFF;
            IF @Rows = 0
                BEGIN TRY
                    INSERT INTO lockscope.surrogate_key ([key]) VALUES (@Key);
                    SET @Rows = 1;
                END TRY
                BEGIN CATCH
                    IF ERROR_NUMBER() NOT IN (2601, 2627)
                        BEGIN
                            SET XACT_ABORT ON;
                            THROW;
                        END;
                END CATCH;
        END;
    RETURN 0;
END;
GO
IF OBJECT_ID(N'lockscope.MakeSurrogateTable', N'P') IS NOT NULL
    DROP PROCEDURE lockscope.MakeSurrogateTable;
GO
-- A table that nobody uses but to lock it: "surrogate:" and the given name. Names are compared as the database compares
-- them. For AddSurrogateTable: who calls this one by itself must have the right to make tables.
CREATE PROCEDURE lockscope.MakeSurrogateTable
    @Name nvarchar(4000)
AS
BEGIN
    SET NOCOUNT ON;
    SET IMPLICIT_TRANSACTIONS OFF;
    IF @@TRANCOUNT > 0
        BEGIN
            RAISERROR (N'lockscope.MakeSurrogateTable can''t be called inside a transaction: others would wait for its end, and a rollback would remove the table. Commit first; a program whose connection always has one open (without autocommit) needs another, with autocommit, for locks.', 16, 1);
            RETURN -999;
        END;
    SET ROWCOUNT 0;
    SET ANSI_WARNINGS ON;
    SET ANSI_PADDING ON;
    SET ARITHABORT ON;
    SET CONCAT_NULL_YIELDS_NULL ON;
    SET NUMERIC_ROUNDABORT OFF;
    DECLARE @Table nvarchar(300), @Sql nvarchar(MAX);
    IF @Name IS NULL OR LEN(CONVERT(nvarchar(MAX), @Name) + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND 119
        BEGIN
            RAISERROR (N'The name of a surrogate table has 1 to 118 characters.', 16, 1);
            RETURN -999;
        END;
    SET @Table = N'lockscope.' + QUOTENAME(N'surrogate:' + @Name);
    IF OBJECT_ID(@Table, N'U') IS NULL
        BEGIN
            SET @Sql = N'CREATE TABLE ' + @Table + N' (unused bit NULL); GRANT SELECT, UPDATE ON ' + @Table
                + N' TO lockscope_operator, lockscope_admin;';
            EXECUTE sys.sp_executesql @Sql;
        END;
    RETURN 0;
END;
GO
IF OBJECT_ID(N'lockscope.AddSurrogateTable', N'P') IS NOT NULL
    DROP PROCEDURE lockscope.AddSurrogateTable;
GO
-- MakeSurrogateTable with the rights of the schema's owner, so that who calls it needs none of his own; with the caller's on
-- Babelfish, which knows no other way.
DECLARE @As nvarchar(30) = CASE WHEN SERVERPROPERTY('BabelfishVersion') IS NULL THEN N'WITH EXECUTE AS OWNER' ELSE N'' END;
EXECUTE (
    N'CREATE PROCEDURE lockscope.AddSurrogateTable @Name nvarchar(4000) ' + @As
    + N' AS EXECUTE lockscope.MakeSurrogateTable @Name = @Name;'
);
GO
-- Reports, for eyes and spreadsheets.
IF OBJECT_ID(N'lockscope.holders', N'V') IS NOT NULL
    DROP VIEW lockscope.holders;
GO
CREATE VIEW lockscope.holders
AS
SELECT
    e.name,
    e.owner,
    e.host,
    e.program,
    e.process_id,
    e.session_id,
    e.fencing,
    e.acquired_at,
    e.expires_at,
    DATEDIFF_BIG(SECOND, e.acquired_at, SYSUTCDATETIME()) AS held_for_s,
    CAST(CASE WHEN e.expires_at <= SYSUTCDATETIME() THEN 1 ELSE 0 END AS bit) AS is_stale,
    (
        SELECT COUNT(*) FROM lockscope.lock_waiter AS w
        WHERE w.name_key = e.name_key AND w.expires_at > SYSUTCDATETIME()
    ) AS waiters
FROM lockscope.lock_entry AS e;
GO
IF OBJECT_ID(N'lockscope.waiters', N'V') IS NOT NULL
    DROP VIEW lockscope.waiters;
GO
CREATE VIEW lockscope.waiters
AS
SELECT
    w.name,
    ROW_NUMBER() OVER (PARTITION BY w.name_key ORDER BY w.ticket) AS place,
    w.owner,
    w.host,
    w.program,
    w.process_id,
    w.session_id,
    w.registered_at,
    DATEDIFF_BIG(SECOND, w.registered_at, SYSUTCDATETIME()) AS waiting_for_s,
    w.ticket
FROM lockscope.lock_waiter AS w
WHERE w.expires_at > SYSUTCDATETIME();
GO
IF OBJECT_ID(N'lockscope.stale', N'V') IS NOT NULL
    DROP VIEW lockscope.stale;
GO
CREATE VIEW lockscope.stale
AS
SELECT
    e.name,
    e.owner,
    e.host,
    e.program,
    e.process_id,
    e.session_id,
    e.acquired_at,
    e.expires_at,
    DATEDIFF_BIG(SECOND, e.expires_at, SYSUTCDATETIME()) AS stale_for_s
FROM lockscope.lock_entry AS e
WHERE e.expires_at <= SYSUTCDATETIME();
GO
IF OBJECT_ID(N'lockscope.audit', N'V') IS NOT NULL
    DROP VIEW lockscope.audit;
GO
CREATE VIEW lockscope.audit
AS
SELECT
    a.id,
    a.at,
    a.who,
    a.origin,
    a.act,
    a.target,
    a.reason,
    a.outcome,
    a.[before]
FROM lockscope.audit_log AS a;
GO
-- Three roles: the reader looks, but does not see the tokens; the operator takes, frees and purges locks and has his acts
-- recorded, but can't write or change the record; the administrator also makes surrogate tables and clears out what is old.
-- A procedure needs no more rights than the right to call it, but for the application locks of the operators, which are for
-- members of that role: so the administrators are members.
DECLARE @Owner nvarchar(30) = CASE WHEN SERVERPROPERTY('BabelfishVersion') IS NULL THEN N' AUTHORIZATION dbo' ELSE N'' END;
IF DATABASE_PRINCIPAL_ID(N'lockscope_reader') IS NULL
    BEGIN
        EXECUTE (N'CREATE ROLE lockscope_reader' + @Owner);
        INSERT INTO lockscope.own_role (name) VALUES (N'lockscope_reader');
    END;
IF DATABASE_PRINCIPAL_ID(N'lockscope_operator') IS NULL
    BEGIN
        EXECUTE (N'CREATE ROLE lockscope_operator' + @Owner);
        INSERT INTO lockscope.own_role (name) VALUES (N'lockscope_operator');
    END;
IF DATABASE_PRINCIPAL_ID(N'lockscope_admin') IS NULL
    BEGIN
        EXECUTE (N'CREATE ROLE lockscope_admin' + @Owner);
        INSERT INTO lockscope.own_role (name) VALUES (N'lockscope_admin');
    END;
GO
ALTER ROLE lockscope_operator ADD MEMBER lockscope_admin;
GO
GRANT SELECT ON lockscope.schema_version TO lockscope_reader, lockscope_operator, lockscope_admin;
GRANT SELECT ON lockscope.lock_entry TO lockscope_operator, lockscope_admin;
GRANT SELECT ON lockscope.lock_waiter TO lockscope_reader, lockscope_operator, lockscope_admin;
GRANT SELECT ON lockscope.fencing_epoch TO lockscope_operator, lockscope_admin;
GRANT SELECT ON lockscope.app_lock_name TO lockscope_reader, lockscope_operator, lockscope_admin;
GRANT SELECT ON lockscope.surrogate_key TO lockscope_reader, lockscope_operator, lockscope_admin;
GRANT SELECT ON lockscope.audit_log TO lockscope_reader, lockscope_operator, lockscope_admin;
GRANT SELECT ON lockscope.holders TO lockscope_reader, lockscope_operator, lockscope_admin;
GRANT SELECT ON lockscope.waiters TO lockscope_reader, lockscope_operator, lockscope_admin;
GRANT SELECT ON lockscope.stale TO lockscope_reader, lockscope_operator, lockscope_admin;
GRANT SELECT ON lockscope.audit TO lockscope_reader, lockscope_operator, lockscope_admin;
GRANT INSERT, UPDATE, DELETE ON lockscope.lock_entry TO lockscope_operator, lockscope_admin;
GRANT DELETE ON lockscope.lock_waiter TO lockscope_operator, lockscope_admin;
GRANT INSERT ON lockscope.app_lock_name TO lockscope_operator, lockscope_admin;
GRANT INSERT ON lockscope.surrogate_key TO lockscope_operator, lockscope_admin;
GRANT UPDATE ON lockscope.surrogate_key TO lockscope_operator, lockscope_admin;
GRANT SELECT, UPDATE ON lockscope.hint_proof TO lockscope_operator, lockscope_admin;
-- Called by what is below: on Babelfish a right to call a procedure is none to call what it calls.
GRANT EXECUTE ON lockscope.AppLockFor TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.BellPrincipal TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.MakeSurrogateTable TO lockscope_admin;
GRANT EXECUTE ON lockscope.AcquireLock TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.RenewLock TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.ReleaseLock TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.LeaveQueue TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.PurgeStale TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.RecordAct TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.RecordOutcome TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.RegisterAppLockName TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.AcquireAppLock TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.ReleaseAppLock TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.LockSurrogateKey TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.AddSurrogateTable TO lockscope_admin;
GRANT DELETE ON lockscope.app_lock_name TO lockscope_admin;
GRANT DELETE ON lockscope.surrogate_key TO lockscope_admin;
GRANT DELETE ON lockscope.audit_log TO lockscope_admin;
GO
-- Where procedures and triggers do their work by the ownership chain, nobody needs a right on what keeps the locks in order,
-- and those of the fixed roles (db_datareader, db_datawriter) are taken from it: a denial does not reach the chain.
-- Babelfish has no chain: there all who take locks can write all that the procedures write.
IF SERVERPROPERTY('BabelfishVersion') IS NULL
    BEGIN
        EXECUTE (
            N'GRANT SELECT ON lockscope.lock_entry (name, fencing, acquired_at, expires_at, owner, host, program, process_id, '
            + N'session_id, name_key, login, token_start) TO lockscope_reader;'
        );
        EXECUTE (N'DENY SELECT, INSERT, UPDATE, DELETE ON lockscope.lock_name TO public;');
        EXECUTE (N'DENY INSERT, UPDATE, DELETE ON lockscope.fencing_epoch TO public;');
        EXECUTE (N'DENY INSERT, UPDATE ON lockscope.audit_log TO public;');
        EXECUTE (N'DENY INSERT, UPDATE ON lockscope.lock_waiter TO public;');
    END
ELSE
    BEGIN
        EXECUTE (N'GRANT SELECT ON lockscope.lock_entry TO lockscope_reader;');
        EXECUTE (
            N'GRANT SELECT, INSERT, UPDATE, DELETE ON lockscope.lock_name TO lockscope_operator;'
            + N'GRANT INSERT, UPDATE ON lockscope.lock_waiter TO lockscope_operator;'
            + N'GRANT INSERT, UPDATE ON lockscope.audit_log TO lockscope_operator;'
            + N'GRANT UPDATE ON lockscope.fencing TO lockscope_operator;'
            + N'GRANT UPDATE ON lockscope.fencing_epoch TO lockscope_operator;'
        );
    END;
GO
IF NOT EXISTS (SELECT 1 FROM lockscope.schema_version)
    INSERT INTO lockscope.schema_version (version) VALUES (1);
