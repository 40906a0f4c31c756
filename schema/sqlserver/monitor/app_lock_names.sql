-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Registered names that begin like an application lock's visible part. @p1: its 32 characters, LIKE's own ones escaped
-- by a backslash. Of several the one that somebody holds in this database is meant: not to be had exclusively.
SELECT
    name,
    APPLOCK_TEST('public', name, 'Exclusive', 'Session')
FROM lockscope.app_lock_name
WHERE name LIKE @p1 + N'%' ESCAPE N'\';
