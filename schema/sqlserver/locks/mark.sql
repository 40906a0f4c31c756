-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Marks this session as alive: an application lock that nobody else uses. No right is needed to see that it is held.
SET NOCOUNT ON;
DECLARE @Answer int;
EXECUTE @Answer = sys.sp_getapplock @Resource = @P1, @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = 0;
SELECT @Answer
