-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A wait that was interrupted in the very moment of its grant may have left the lock behind: then the session holds more
-- than app_acquire.sql found. @p1 name, @p2 owner, @p3 principal.
SET NOCOUNT ON;
IF
    APPLOCK_MODE(CONVERT(nvarchar(128), @p3), CONVERT(nvarchar(255), @p1), CONVERT(nvarchar(32), @p2))
    <> CAST(SESSION_CONTEXT(N'lockscope mode before') AS nvarchar(32))
    EXECUTE sp_releaseapplock @Resource = @p1, @LockOwner = @p2, @DbPrincipal = @p3
