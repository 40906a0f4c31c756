-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Lockscope's schema of version 2, as it was released: for the tests of the migration. What follows stands as it was.
-- Lockscope's own schema, version 2 (the number that PostgreSQL's has). Idempotent: run it as often as you like; later
-- versions add their steps to the tables' part and replace the rest. Times are the server's clock, UTC. Any program may
-- use these tables and procedures; see README, "Locks from any language".
-- LEN ignores spaces at the end, and with some collations a pair of surrogates counts as one: hence LEN(… + N'.') by code
-- units. DATALENGTH would do on SQL Server; on Babelfish it does not count two bytes a character.
-- Run it as one transaction; a line "GO" ends a batch, as in sqlcmd. Two that install at once take turns:
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
        DECLARE @Code int;
        EXECUTE @Code = sp_getapplock
            @Resource = N'lockscope installation', @LockMode = 'Exclusive', @LockOwner = 'Transaction', @LockTimeout = 60000;
        IF @Code < 0
            RAISERROR (N'Another installation of Lockscope''s schema does not end (sp_getapplock returned %d).', 16, 1, @Code);
    END;
IF SCHEMA_ID(N'lockscope') IS NULL
    EXECUTE (N'CREATE SCHEMA lockscope');
GO
IF OBJECT_ID(N'lockscope.schema_version', N'U') IS NULL
    CREATE TABLE lockscope.schema_version (
        version int NOT NULL CONSTRAINT schema_version_key PRIMARY KEY,
        installed_at datetime2(6) NOT NULL CONSTRAINT schema_version_installed_at DEFAULT SYSUTCDATETIME()
    );
GO
-- Grows with every grant, so that a protected resource can refuse the late write of a former holder.
IF OBJECT_ID(N'lockscope.fencing', N'SO') IS NULL
    CREATE SEQUENCE lockscope.fencing AS bigint START WITH 1 INCREMENT BY 1 NO CYCLE;
GO
-- A row is a lock. Acquire = insert; a duplicate key means that somebody else has it. Release = delete with the token.
-- The key is the name's hash: text comparison ignores spaces at the end, whatever the collation.
IF OBJECT_ID(N'lockscope.lock_entry', N'U') IS NULL
    CREATE TABLE lockscope.lock_entry (
        name nvarchar(255) COLLATE Latin1_General_BIN2 NOT NULL
        CONSTRAINT lock_entry_name CHECK (LEN(name + N'.') BETWEEN 2 AND 256),
        token nvarchar(128) COLLATE Latin1_General_BIN2 NOT NULL,
        fencing bigint NOT NULL CONSTRAINT lock_entry_fencing DEFAULT (NEXT VALUE FOR lockscope.fencing),
        acquired_at datetime2(6) NOT NULL CONSTRAINT lock_entry_acquired_at DEFAULT SYSUTCDATETIME(),
        expires_at datetime2(6) NOT NULL,
        owner nvarchar(256) NOT NULL CONSTRAINT lock_entry_owner DEFAULT SUSER_SNAME(),
        host nvarchar(256) NOT NULL CONSTRAINT lock_entry_host DEFAULT ISNULL(HOST_NAME(), N''),
        program nvarchar(256) NOT NULL CONSTRAINT lock_entry_program DEFAULT ISNULL(APP_NAME(), N''),
        process_id bigint NOT NULL CONSTRAINT lock_entry_process_id DEFAULT 0,
        session_id int NOT NULL CONSTRAINT lock_entry_session_id DEFAULT @@SPID,
        name_key AS CONVERT(varbinary(32), HASHBYTES('SHA2_256', name)) PERSISTED NOT NULL,
        CONSTRAINT lock_entry_key PRIMARY KEY (name_key)
    );
GO
-- The visible queue: who wants a name, since when, in the order of the tickets. A waiter renews its row while it waits.
IF OBJECT_ID(N'lockscope.lock_waiter', N'U') IS NULL
    BEGIN
        CREATE TABLE lockscope.lock_waiter (
            ticket bigint IDENTITY (1, 1) NOT NULL CONSTRAINT lock_waiter_key PRIMARY KEY,
            name nvarchar(255) COLLATE Latin1_General_BIN2 NOT NULL
            CONSTRAINT lock_waiter_name CHECK (LEN(name + N'.') BETWEEN 2 AND 256),
            registered_at datetime2(6) NOT NULL CONSTRAINT lock_waiter_registered_at DEFAULT SYSUTCDATETIME(),
            expires_at datetime2(6) NOT NULL,
            owner nvarchar(256) NOT NULL CONSTRAINT lock_waiter_owner DEFAULT SUSER_SNAME(),
            host nvarchar(256) NOT NULL CONSTRAINT lock_waiter_host DEFAULT ISNULL(HOST_NAME(), N''),
            program nvarchar(256) NOT NULL CONSTRAINT lock_waiter_program DEFAULT ISNULL(APP_NAME(), N''),
            process_id bigint NOT NULL CONSTRAINT lock_waiter_process_id DEFAULT 0,
            session_id int NOT NULL CONSTRAINT lock_waiter_session_id DEFAULT @@SPID,
            name_key AS CONVERT(varbinary(32), HASHBYTES('SHA2_256', name)) PERSISTED NOT NULL
        );
        CREATE INDEX lock_waiter_queue ON lockscope.lock_waiter (name_key, ticket);
    END;
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
-- Every dangerous act: who, from where, what, why, the state before (JSON), the outcome.
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
        outcome nvarchar(MAX) NOT NULL
    );
GO
-- The roles that an installation made: an uninstallation removes these and no others.
IF OBJECT_ID(N'lockscope.own_role', N'U') IS NULL
    CREATE TABLE lockscope.own_role (name nvarchar(128) NOT NULL CONSTRAINT own_role_key PRIMARY KEY);
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
    RETURN LEFT(@Whole, 180)
        + CONVERT(nvarchar(20), CONVERT(bigint, SUBSTRING(@Hash, 1, 8)))
        + CONVERT(nvarchar(20), CONVERT(bigint, SUBSTRING(@Hash, 9, 8)));
END;
GO
IF OBJECT_ID(N'lockscope.AcquireLock', N'P') IS NOT NULL
    DROP PROCEDURE lockscope.AcquireLock;
GO
-- Takes a lock-table name for @LeaseUs microseconds; waits for it @WaitMs at most (0 = not at all, -1 = for ever), all in
-- one call. Returns one row: fencing (null = not granted), acquired and expires in microseconds since 1970, ticket,
-- microseconds until the obstacle ends by itself, who has it (owner, host, program, process, session), and the answer,
-- which is the return code, too: 0 granted at once, 1 granted after waiting, -1 not granted, -3 deadlock victim,
-- 2 not yet: this server can't wait (Babelfish), call again with the ticket soon.
--
-- Atomic: every look happens under an application lock of the transaction, the guard, under READ COMMITTED with or without
-- row versions; fencing numbers are drawn under it, so they grow in the order of the grants, and nobody overtakes a live
-- waiter of a smaller ticket. No hint is relied on.
--
-- How it waits: a holder's session also holds an application lock of its session, the bell. Waiters queue for the bell
-- inside the server and are woken by the release in the same moment; who gets it looks again. A lock outlives its session,
-- a bell does not: if the bell is free while the row lives, the first waiter keeps the bell and looks every 100 ms, the
-- others stay behind it. Whoever frees a row from another session can't ring: so nobody waits for a bell longer than a
-- second before it looks, or than the holder's lease.
-- Babelfish knows no WAITFOR, and there each application lock that times out brings the server nearer to a crash (4.3: five
-- in a session): whoever has to wait is told to call again.
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
    @ProcessId bigint = 0
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    DECLARE
        @Key varbinary(32), @Guard nvarchar(255), @CompletionSignal nvarchar(255), @Now datetime2(6), @Start datetime2(6),
        @Expires datetime2(6), @Fencing bigint, @HadBell bit, @Looks int = 0, @Answer int, @Code int, @Slice int,
        @HeldUntil datetime2(6), @AheadUntil datetime2(6), @ObstacleMs bigint, @LeftMs bigint,
        @HolderOwner nvarchar(256), @HolderHost nvarchar(256), @HolderProgram nvarchar(256), @HolderProcess bigint,
        @HolderSession bigint;
    IF
        @Name IS NULL OR LEN(@Name + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND 256
        OR @Token IS NULL OR LEN(@Token + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND 129
        OR @LeaseUs IS NULL OR @LeaseUs NOT BETWEEN 1 AND 315360000000000 OR @WaitMs IS NULL OR @WaitMs < -1
        BEGIN
            RAISERROR (N'lockscope.AcquireLock: a name has 1 to 255 characters, a token 1 to 128; a wait is -1, 0 or more.', 16, 1);
            RETURN -999;
        END;
    IF @@TRANCOUNT > 0
        BEGIN
            RAISERROR (N'lockscope.AcquireLock can''t be called inside a transaction: others would not see the lock.', 16, 1);
            RETURN -999;
        END;
    SET @Key = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @Name)));
    SET @Guard = lockscope.AppLockFor(N'lockscope guard:', @Name);
    SET @CompletionSignal = lockscope.AppLockFor(N'lockscope:', @Name);
    SET @Start = SYSUTCDATETIME();
    SET @HadBell = CASE WHEN APPLOCK_MODE(N'public', @CompletionSignal, N'Session') = N'NoLock' THEN 0 ELSE 1 END;
    BEGIN TRY
        WHILE @Answer IS NULL
            BEGIN
                -- The many who don't wait for a name that is held need no guard.
                IF
                    @WaitMs > 0 OR @WaitMs = -1
                    OR NOT EXISTS (SELECT 1 FROM lockscope.lock_entry WHERE name_key = @Key AND expires_at > SYSUTCDATETIME())
                    BEGIN
                        BEGIN TRANSACTION;
                        EXECUTE @Code = sp_getapplock
                            @Resource = @Guard, @LockMode = 'Exclusive', @LockOwner = 'Transaction', @LockTimeout = 30000;
                        IF @Code < 0
                            RAISERROR (N'lockscope.AcquireLock: the guard of the name was not obtained (%d).', 16, 1, @Code);
                        SET @Now = SYSUTCDATETIME();
                        DELETE FROM lockscope.lock_entry WHERE name_key = @Key AND expires_at <= @Now;
                        SET @AheadUntil = (
                            SELECT TOP (1) expires_at FROM lockscope.lock_waiter
                            WHERE name_key = @Key AND expires_at > @Now AND (@Ticket IS NULL OR ticket < @Ticket)
                            ORDER BY ticket
                        );
                        SET @HeldUntil = (SELECT expires_at FROM lockscope.lock_entry WHERE name_key = @Key);
                        IF @HeldUntil IS NULL AND @AheadUntil IS NULL
                            BEGIN
                                SET @Fencing = NEXT VALUE FOR lockscope.fencing;
                                SET @Expires = DATEADD(MICROSECOND, CONVERT(int, @LeaseUs % 1000000),
                                    DATEADD(SECOND, CONVERT(int, @LeaseUs / 1000000), @Now));
                                INSERT INTO lockscope.lock_entry
                                (name, token, fencing, acquired_at, expires_at, owner, host, program, process_id)
                                VALUES (
                                    @Name, @Token, @Fencing, @Now, @Expires, ISNULL(@Owner, SUSER_SNAME()),
                                    COALESCE(@Host, HOST_NAME(), N''), COALESCE(@Program, APP_NAME(), N''), @ProcessId
                                );
                                DELETE FROM lockscope.lock_waiter WHERE name_key = @Key AND ticket = @Ticket;
                                IF APPLOCK_MODE(N'public', @CompletionSignal, N'Session') = N'NoLock'
                                    EXECUTE sp_getapplock
                                        @Resource = @CompletionSignal, @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = 0;
                                SET @Answer = CASE WHEN @Looks = 0 THEN 0 ELSE 1 END;
                            END
                        ELSE IF @WaitMs = -1 OR DATEDIFF_BIG(MILLISECOND, @Start, @Now) < @WaitMs
                            BEGIN
                                UPDATE lockscope.lock_waiter SET expires_at = DATEADD(SECOND, 10, @Now)
                                WHERE name_key = @Key AND ticket = @Ticket;
                                IF @@ROWCOUNT = 0
                                    BEGIN
                                        DELETE FROM lockscope.lock_waiter WHERE name_key = @Key AND expires_at <= @Now;
                                        INSERT INTO lockscope.lock_waiter
                                        (name, expires_at, owner, host, program, process_id)
                                        VALUES (
                                            @Name, DATEADD(SECOND, 10, @Now), ISNULL(@Owner, SUSER_SNAME()),
                                            COALESCE(@Host, HOST_NAME(), N''), COALESCE(@Program, APP_NAME(), N''), @ProcessId
                                        );
                                        SET @Ticket = SCOPE_IDENTITY();
                                    END;
                            END
                        ELSE
                            BEGIN
                                DELETE FROM lockscope.lock_waiter WHERE name_key = @Key AND ticket = @Ticket;
                                SET @Answer = -1;
                            END;
                        COMMIT TRANSACTION;
                    END
                ELSE
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
                        ELSE IF APPLOCK_MODE(N'public', @CompletionSignal, N'Session') = N'NoLock'
                            BEGIN
                                EXECUTE @Code = sp_getapplock
                                    @Resource = @CompletionSignal, @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = @Slice;
                                IF @Code = -3
                                    SET @Answer = -3;
                                IF @Code NOT IN (0, 1, -1, -3)
                                    RAISERROR (N'lockscope.AcquireLock: the wait ended with %d.', 16, 1, @Code);
                            END
                        ELSE
                            BEGIN
                                -- Free, but not our turn: the bell is for the one whose turn it is.
                                IF @HadBell = 0 AND @HeldUntil IS NULL
                                    EXECUTE sp_releaseapplock @Resource = @CompletionSignal, @LockOwner = 'Session';
                                IF @Slice < 100
                                    EXECUTE (N'WAITFOR DELAY ''00:00:00.010''');
                                ELSE
                                    EXECUTE (N'WAITFOR DELAY ''00:00:00.100''');
                            END;
                    END;
            END;
    END TRY
    BEGIN CATCH
        IF XACT_STATE() <> 0
            ROLLBACK TRANSACTION;
        DELETE FROM lockscope.lock_waiter WHERE name_key = @Key AND ticket = @Ticket;
        IF @HadBell = 0 AND APPLOCK_MODE(N'public', @CompletionSignal, N'Session') <> N'NoLock'
            EXECUTE sp_releaseapplock @Resource = @CompletionSignal, @LockOwner = 'Session';
        THROW;
    END CATCH;

    IF @Answer < 0 OR @Answer = 2
        BEGIN
            IF @Answer = -3
                DELETE FROM lockscope.lock_waiter WHERE name_key = @Key AND ticket = @Ticket;
            IF @HadBell = 0 AND APPLOCK_MODE(N'public', @CompletionSignal, N'Session') <> N'NoLock'
                EXECUTE sp_releaseapplock @Resource = @CompletionSignal, @LockOwner = 'Session';
            -- The holder; or the waiter whose turn it is, if the name is free but reserved.
            SELECT TOP (1)
                @HolderOwner = o.owner, @HolderHost = o.host, @HolderProgram = o.program, @HolderProcess = o.process_id,
                @HolderSession = o.session_id, @HeldUntil = o.expires_at
            FROM (
                SELECT CAST(0 AS bigint) AS place, owner, host, program, process_id, session_id, expires_at
                FROM lockscope.lock_entry
                WHERE name_key = @Key AND expires_at > SYSUTCDATETIME()
                UNION ALL
                SELECT ticket, owner, host, program, process_id, session_id, expires_at
                FROM lockscope.lock_waiter
                WHERE name_key = @Key AND expires_at > SYSUTCDATETIME() AND (@Ticket IS NULL OR ticket < @Ticket)
            ) AS o
            ORDER BY o.place;
        END;
    SELECT
        @Fencing AS fencing,
        DATEDIFF_BIG(MICROSECOND, '19700101', CASE WHEN @Fencing IS NOT NULL THEN @Now END) AS acquired_us,
        DATEDIFF_BIG(MICROSECOND, '19700101', CASE WHEN @Fencing IS NOT NULL THEN @Expires END) AS expires_us,
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
    IF @Name IS NULL OR LEN(@Name + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND 256
        BEGIN
            RAISERROR (N'lockscope.RenewLock: a name has 1 to 255 characters.', 16, 1);
            RETURN -999;
        END;
    DECLARE @Expires datetime2(6) = DATEADD(MICROSECOND, CONVERT(int, @LeaseUs % 1000000),
        DATEADD(SECOND, CONVERT(int, @LeaseUs / 1000000), SYSUTCDATETIME()));
    UPDATE lockscope.lock_entry SET expires_at = @Expires
    WHERE name_key = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @Name))) AND token = @Token;
    IF @@ROWCOUNT = 0
        SET @Expires = NULL;
    SELECT DATEDIFF_BIG(MICROSECOND, '19700101', @Expires) AS expires_us;
END;
GO
IF OBJECT_ID(N'lockscope.ReleaseLock', N'P') IS NOT NULL
    DROP PROCEDURE lockscope.ReleaseLock;
GO
-- Frees a name and rings the bell for the next; 0 if the row is not ours any more, and then nothing is touched.
CREATE PROCEDURE lockscope.ReleaseLock
    @Name nvarchar(4000),
    @Token nvarchar(4000)
AS
BEGIN
    SET NOCOUNT ON;
    -- A longer name would be cut silently, here and in the others, and the lock of another name be given back.
    IF @Name IS NULL OR LEN(@Name + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND 256
        BEGIN
            RAISERROR (N'lockscope.ReleaseLock: a name has 1 to 255 characters.', 16, 1);
            RETURN -999;
        END;
    DECLARE
        @Key varbinary(32) = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @Name))),
        @CompletionSignal nvarchar(255) = lockscope.AppLockFor(N'lockscope:', @Name),
        @Gone int;
    DELETE FROM lockscope.lock_entry WHERE name_key = @Key AND token = @Token;
    SET @Gone = @@ROWCOUNT;
    -- The bell stays with a session that holds the name anew, under another token.
    IF
        APPLOCK_MODE(N'public', @CompletionSignal, N'Session') <> N'NoLock'
        AND NOT EXISTS (SELECT 1 FROM lockscope.lock_entry WHERE name_key = @Key AND session_id = @@SPID)
        EXECUTE sp_releaseapplock @Resource = @CompletionSignal, @LockOwner = 'Session';
    SELECT CAST(@Gone AS bit) AS was_ours;
END;
GO
IF OBJECT_ID(N'lockscope.LeaveQueue', N'P') IS NOT NULL
    DROP PROCEDURE lockscope.LeaveQueue;
GO
-- A waiter gives up: takes back its registration, whatever was granted to it meanwhile, and the bell. Whoever stood behind
-- it is woken by the bell.
CREATE PROCEDURE lockscope.LeaveQueue
    @Name nvarchar(4000),
    @Token nvarchar(4000)
AS
BEGIN
    SET NOCOUNT ON;
    IF @Name IS NULL OR LEN(@Name + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND 256
        BEGIN
            RAISERROR (N'lockscope.LeaveQueue: a name has 1 to 255 characters.', 16, 1);
            RETURN -999;
        END;
    DECLARE @Key varbinary(32) = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @Name)));
    DELETE FROM lockscope.lock_waiter WHERE name_key = @Key AND session_id = @@SPID;
    EXECUTE lockscope.ReleaseLock @Name = @Name, @Token = @Token;
END;
GO
IF OBJECT_ID(N'lockscope.PurgeStale', N'P') IS NOT NULL
    DROP PROCEDURE lockscope.PurgeStale;
GO
-- Frees whatever is stale and forgets waiters that crashed; how many names were freed.
CREATE PROCEDURE lockscope.PurgeStale
AS
BEGIN
    SET NOCOUNT ON;
    DECLARE @Freed bigint;
    DELETE FROM lockscope.lock_waiter WHERE expires_at <= SYSUTCDATETIME();
    DELETE FROM lockscope.lock_entry WHERE expires_at <= SYSUTCDATETIME();
    SET @Freed = @@ROWCOUNT;
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
    IF @Name IS NULL OR LEN(@Name + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND 256
        BEGIN
            RAISERROR (N'lockscope.RegisterAppLockName: a name has 1 to 255 characters.', 16, 1);
            RETURN -999;
        END;
    DECLARE @Key varbinary(32) = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @Name)));
    IF @@TRANCOUNT > 0 OR EXISTS (SELECT 1 FROM lockscope.app_lock_name WHERE name_key = @Key)
        RETURN 0;
    BEGIN TRY
        INSERT INTO lockscope.app_lock_name (name) VALUES (@Name);
    END TRY
    BEGIN CATCH
        -- Somebody else was quicker.
        IF NOT EXISTS (SELECT 1 FROM lockscope.app_lock_name WHERE name_key = @Key)
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
    DECLARE @Answer int;
    -- Longer names would be cut silently, and two locks become one.
    IF @Name IS NULL OR LEN(@Name + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND 256
        BEGIN
            RAISERROR (N'The name of an application lock has 1 to 255 characters.', 15, 1);
            RETURN -999;
        END;
    EXECUTE @Answer = sp_getapplock
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
    IF
        @Name IS NULL OR LEN(@Name + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND 256
        OR APPLOCK_MODE(N'public', CONVERT(nvarchar(255), @Name), N'Session') = N'NoLock'
        BEGIN
            RAISERROR (N'The application lock "%s" is not held by this session.', 15, 1, @Name);
            RETURN -999;
        END;
    EXECUTE sp_releaseapplock @Resource = @Name, @LockOwner = 'Session';
    RETURN 0;
END;
GO
IF OBJECT_ID(N'lockscope.LockSurrogateKey', N'P') IS NOT NULL
    DROP PROCEDURE lockscope.LockSurrogateKey;
GO
-- Inside of a transaction: waits (LOCK_TIMEOUT at most) until nobody else has this key, then has it up to the transaction's
-- end. The look holds its lock, so nobody can insert between the look and the insert: "IF NOT EXISTS … INSERT" without it
-- is a race.
CREATE PROCEDURE lockscope.LockSurrogateKey
    @Key nvarchar(4000)
AS
BEGIN
    SET NOCOUNT ON;
    SET XACT_ABORT ON;
    -- Longer keys would be cut silently, and two keys become one.
    IF @Key IS NULL OR LEN(@Key + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND 256
        BEGIN
            RAISERROR (N'A surrogate key has 1 to 255 characters.', 16, 1);
            RETURN -999;
        END;
    IF @@TRANCOUNT = 0
        BEGIN
            RAISERROR (N'lockscope.LockSurrogateKey needs a transaction: the lock would end with the call.', 16, 1);
            RETURN -999;
        END;
    INSERT INTO lockscope.surrogate_key ([key])
    SELECT @Key
    WHERE NOT EXISTS (SELECT 1 FROM lockscope.surrogate_key WITH (UPDLOCK, HOLDLOCK, ROWLOCK) WHERE [key] = @Key);
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
    DECLARE @Table nvarchar(300), @Sql nvarchar(MAX);
    IF @Name IS NULL OR LEN(@Name + N'.' COLLATE Latin1_General_BIN2) NOT BETWEEN 2 AND 119
        BEGIN
            RAISERROR (N'The name of a surrogate table has 1 to 118 characters.', 16, 1);
            RETURN -999;
        END;
    SET @Table = N'lockscope.' + QUOTENAME(N'surrogate:' + @Name);
    IF OBJECT_ID(@Table, N'U') IS NULL
        BEGIN
            SET @Sql = N'CREATE TABLE ' + @Table + N' (unused bit NULL); GRANT SELECT, UPDATE ON ' + @Table
                + N' TO lockscope_operator, lockscope_admin;';
            EXECUTE sp_executesql @Sql;
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
-- Three roles: the reader looks; the operator takes, frees and purges locks and writes the audit log but can't change what
-- is in it; the administrator also makes surrogate tables and clears out what is old. A procedure needs no more rights than
-- the right to call it.
IF DATABASE_PRINCIPAL_ID(N'lockscope_reader') IS NULL
    BEGIN
        CREATE ROLE lockscope_reader;
        INSERT INTO lockscope.own_role (name) VALUES (N'lockscope_reader');
    END;
IF DATABASE_PRINCIPAL_ID(N'lockscope_operator') IS NULL
    BEGIN
        CREATE ROLE lockscope_operator;
        INSERT INTO lockscope.own_role (name) VALUES (N'lockscope_operator');
    END;
IF DATABASE_PRINCIPAL_ID(N'lockscope_admin') IS NULL
    BEGIN
        CREATE ROLE lockscope_admin;
        INSERT INTO lockscope.own_role (name) VALUES (N'lockscope_admin');
    END;
GO
GRANT SELECT ON lockscope.schema_version TO lockscope_reader, lockscope_operator, lockscope_admin;
GRANT SELECT ON lockscope.lock_entry TO lockscope_reader, lockscope_operator, lockscope_admin;
GRANT SELECT ON lockscope.lock_waiter TO lockscope_reader, lockscope_operator, lockscope_admin;
GRANT SELECT ON lockscope.app_lock_name TO lockscope_reader, lockscope_operator, lockscope_admin;
GRANT SELECT ON lockscope.surrogate_key TO lockscope_reader, lockscope_operator, lockscope_admin;
GRANT SELECT ON lockscope.audit_log TO lockscope_reader, lockscope_operator, lockscope_admin;
GRANT SELECT ON lockscope.holders TO lockscope_reader, lockscope_operator, lockscope_admin;
GRANT SELECT ON lockscope.waiters TO lockscope_reader, lockscope_operator, lockscope_admin;
GRANT SELECT ON lockscope.stale TO lockscope_reader, lockscope_operator, lockscope_admin;
GRANT SELECT ON lockscope.audit TO lockscope_reader, lockscope_operator, lockscope_admin;
GRANT INSERT, UPDATE, DELETE ON lockscope.lock_entry TO lockscope_operator, lockscope_admin;
GRANT INSERT, UPDATE, DELETE ON lockscope.lock_waiter TO lockscope_operator, lockscope_admin;
GRANT INSERT ON lockscope.app_lock_name TO lockscope_operator, lockscope_admin;
GRANT INSERT ON lockscope.surrogate_key TO lockscope_operator, lockscope_admin;
GRANT UPDATE ON lockscope.surrogate_key TO lockscope_operator, lockscope_admin;
GRANT INSERT ON lockscope.audit_log TO lockscope_operator, lockscope_admin;
GRANT UPDATE ON lockscope.fencing TO lockscope_operator, lockscope_admin;
-- Called by what is below: on Babelfish a right to call a procedure is none to call what it calls.
GRANT EXECUTE ON lockscope.AppLockFor TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.MakeSurrogateTable TO lockscope_admin;
GRANT EXECUTE ON lockscope.AcquireLock TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.RenewLock TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.ReleaseLock TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.LeaveQueue TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.PurgeStale TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.RegisterAppLockName TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.AcquireAppLock TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.ReleaseAppLock TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.LockSurrogateKey TO lockscope_operator, lockscope_admin;
GRANT EXECUTE ON lockscope.AddSurrogateTable TO lockscope_admin;
GRANT DELETE ON lockscope.app_lock_name TO lockscope_admin;
GRANT DELETE ON lockscope.surrogate_key TO lockscope_admin;
GRANT DELETE ON lockscope.audit_log TO lockscope_admin;
GO
IF NOT EXISTS (SELECT 1 FROM lockscope.schema_version WHERE version = 2)
    INSERT INTO lockscope.schema_version (version) VALUES (2);
