-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Application locks: those of the server's own, by name.

-- name: acquire
-- An application lock: 0 = at once, 1 = after waiting, -1 = timed out, -2 = cancelled, -3 = deadlock victim, -999 = refused.
-- @P1 name, @P2 mode, @P3 owner, @P4 waiting time in ms (-1 = for ever), @P5 principal. What was held before is kept for
-- `undo`. Without XACT_ABORT a cancel leaves the transaction open; the setting ends with this statement.
-- Babelfish: @P4 is 0 there, see SqlServerLockBackend. What it refuses brings it nearer to a crash (4.3: five in a
-- session), and it says "refused" (-999) where "timed out" is meant: it is asked before, and after.
SET NOCOUNT ON;
SET XACT_ABORT OFF;
DECLARE
    @Answer int,
    @IsOther bit = CASE WHEN SERVERPROPERTY('BabelfishVersion') IS NULL THEN 0 ELSE 1 END,
    @Principal nvarchar(128) = @P5,
    @Name nvarchar(255) = @P1,
    @Mode nvarchar(32) = @P2,
    @Owner nvarchar(32) = @P3,
    @Before nvarchar(32);
SET @Before = APPLOCK_MODE(@Principal, @Name, @Owner);
EXECUTE sys.sp_set_session_context @key = N'lockscope mode before', @value = @Before;
IF @IsOther = 1
    IF APPLOCK_TEST(@Principal, @Name, @Mode, @Owner) = 0
        SET @Answer = -1;
IF @Answer IS NULL
    EXECUTE @Answer = sys.sp_getapplock
        @Resource = @P1, @LockMode = @P2, @LockOwner = @P3, @LockTimeout = @P4, @DbPrincipal = @P5;
IF @IsOther = 1 AND @Answer = -999
    IF APPLOCK_TEST(@Principal, @Name, @Mode, @Owner) = 0
        SET @Answer = -1;
SELECT @Answer;

-- name: release
-- One release for one acquire; false if it is not held. @P1 name, @P2 owner, @P3 principal. Asking first spares the error
-- that would doom an open transaction.
SET NOCOUNT ON;
DECLARE @Answer int = -999;
IF APPLOCK_MODE(CONVERT(nvarchar(128), @P3), CONVERT(nvarchar(255), @P1), CONVERT(nvarchar(32), @P2)) <> N'NoLock'
    EXECUTE @Answer = sys.sp_releaseapplock @Resource = @P1, @LockOwner = @P2, @DbPrincipal = @P3;
SELECT CAST(CASE WHEN @Answer = 0 THEN 1 ELSE 0 END AS bit);

-- name: undo
-- A wait that was interrupted just as it was granted may have left the lock behind: then the session holds more
-- than `acquire` found. @P1 name, @P2 owner, @P3 principal.
SET NOCOUNT ON;
IF
    APPLOCK_MODE(CONVERT(nvarchar(128), @P3), CONVERT(nvarchar(255), @P1), CONVERT(nvarchar(32), @P2))
    <> CAST(SESSION_CONTEXT(N'lockscope mode before') AS nvarchar(32))
    EXECUTE sys.sp_releaseapplock @Resource = @P1, @LockOwner = @P2, @DbPrincipal = @P3;

-- name: names_writable
-- Whether names of application locks can be registered: the schema is there and we may call it.
SELECT CAST(COALESCE(HAS_PERMS_BY_NAME(N'lockscope.RegisterAppLockName', 'OBJECT', 'EXECUTE'), 0) AS bit);

-- name: register_name
-- Keeps the name of an application lock whole for the monitor.
EXECUTE lockscope.RegisterAppLockName @Name = @P1;
