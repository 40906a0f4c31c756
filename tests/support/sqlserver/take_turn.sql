-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- One test program after the other: the lock goes with the session, however that ends.
DECLARE @Answer int;
EXECUTE @Answer = sp_getapplock
    @Resource = N'lockscope tests', @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = 600000;
SELECT @Answer
