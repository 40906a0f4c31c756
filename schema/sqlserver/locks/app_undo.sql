-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A wait that was interrupted in the very moment of its grant may have left the lock behind: then the session holds more
-- than app_acquire.sql found. @P1 name, @P2 owner, @P3 principal.
SET NOCOUNT ON;
IF
    APPLOCK_MODE(CONVERT(nvarchar(128), @P3), CONVERT(nvarchar(255), @P1), CONVERT(nvarchar(32), @P2))
    <> CAST(SESSION_CONTEXT(N'lockscope mode before') AS nvarchar(32))
    EXECUTE sys.sp_releaseapplock @Resource = @P1, @LockOwner = @P2, @DbPrincipal = @P3
