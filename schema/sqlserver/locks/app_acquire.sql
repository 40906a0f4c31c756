-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- An application lock: 0 = at once, 1 = after waiting, -1 = timed out, -2 = cancelled, -3 = deadlock victim, -999 = refused.
-- @p1 name, @p2 mode, @p3 owner, @p4 waiting time in ms (-1 = for ever), @p5 principal.
SET NOCOUNT ON;
DECLARE @Answer int;
EXECUTE @Answer = sp_getapplock
    @Resource = @p1, @LockMode = @p2, @LockOwner = @p3, @LockTimeout = @p4, @DbPrincipal = @p5;
SELECT @Answer
