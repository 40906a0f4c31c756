-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Where the lock view is missing or closed: of the registered names those that somebody holds an application lock of, and
-- whether they could be had shared. Who holds them is not told.
SELECT TOP (200)
    name,
    APPLOCK_TEST('public', name, 'Shared', 'Session')
FROM lockscope.app_lock_name
WHERE APPLOCK_TEST('public', name, 'Exclusive', 'Session') = 0
ORDER BY first_used_at DESC;
