-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Registered names that begin like an application lock's visible part. @P1: that part, exactly as it is in the name. Of
-- several the one that somebody holds in this database is meant: it is not to be had exclusively. The order is that of
-- the code units: none that begins with the part sorts outside of it.
SET LOCK_TIMEOUT 50;
SELECT TOP (50)
    name,
    APPLOCK_TEST('public', name, 'Exclusive', 'Session')
FROM lockscope.app_lock_name
WHERE
    name >= CONVERT(nvarchar(255), @P1)
    AND name < CONVERT(nvarchar(255), @P1) + NCHAR(65535);
