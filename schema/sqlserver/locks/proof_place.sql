-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Whether locking hints can be tried out in this very database, in the table that the schema keeps for it: it is there, we may
-- lock its rows, and nobody else does so now. Our turn ends with the session.
SET NOCOUNT ON;
DECLARE @Answer int = -999;
IF
    HAS_PERMS_BY_NAME(N'lockscope.hint_proof', 'OBJECT', 'SELECT') = 1
    AND HAS_PERMS_BY_NAME(N'lockscope.hint_proof', 'OBJECT', 'UPDATE') = 1
    EXECUTE @Answer = sys.sp_getapplock
        @Resource = N'lockscope proof of hints', @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = 5000;
SELECT CAST(CASE WHEN @Answer >= 0 THEN 1 ELSE 0 END AS bit)
