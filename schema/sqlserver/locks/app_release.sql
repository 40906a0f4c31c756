-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- One release for one acquire; false if it is not held. @P1 name, @P2 owner, @P3 principal. Asking first spares the error
-- that would doom an open transaction.
SET NOCOUNT ON;
DECLARE @Answer int = -999;
IF APPLOCK_MODE(CONVERT(nvarchar(128), @P3), CONVERT(nvarchar(255), @P1), CONVERT(nvarchar(32), @P2)) <> N'NoLock'
    EXECUTE @Answer = sys.sp_releaseapplock @Resource = @P1, @LockOwner = @P2, @DbPrincipal = @P3;
SELECT CAST(CASE WHEN @Answer = 0 THEN 1 ELSE 0 END AS bit)
