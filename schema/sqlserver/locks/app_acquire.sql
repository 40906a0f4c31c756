-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- An application lock: 0 = at once, 1 = after waiting, -1 = timed out, -2 = cancelled, -3 = deadlock victim, -999 = refused.
-- @p1 name, @p2 mode, @p3 owner, @p4 waiting time in ms (-1 = for ever), @p5 principal. What was held before is kept for
-- app_undo.sql. Without XACT_ABORT a cancel leaves the transaction open; the setting ends with this statement.
SET NOCOUNT ON;
SET XACT_ABORT OFF;
DECLARE
    @Answer int,
    @Before nvarchar(32) = APPLOCK_MODE(CONVERT(nvarchar(128), @p5), CONVERT(nvarchar(255), @p1), CONVERT(nvarchar(32), @p3));
EXECUTE sp_set_session_context @key = N'lockscope mode before', @value = @Before;
EXECUTE @Answer = sp_getapplock
    @Resource = @p1, @LockMode = @p2, @LockOwner = @p3, @LockTimeout = @p4, @DbPrincipal = @p5;
SELECT @Answer
