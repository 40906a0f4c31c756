-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- How much memory the lock manager uses, in kB: the cheap look before the dear one at every lock.
SELECT CAST(SUM(pages_kb) AS bigint)
FROM sys.dm_os_memory_clerks
WHERE type = 'OBJECTSTORE_LOCK_MANAGER';
