-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- One release for one acquire; false if it is not held. @p1 name, @p2 owner, @p3 principal. Asking first spares the error
-- that would doom an open transaction.
SET NOCOUNT ON;
DECLARE @Answer int = -999;
IF APPLOCK_MODE(CONVERT(nvarchar(128), @p3), CONVERT(nvarchar(255), @p1), CONVERT(nvarchar(32), @p2)) <> N'NoLock'
    EXECUTE @Answer = sp_releaseapplock @Resource = @p1, @LockOwner = @p2, @DbPrincipal = @p3;
SELECT CAST(CASE WHEN @Answer = 0 THEN 1 ELSE 0 END AS bit)
