-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- How much memory the lock manager has, in kB: the cheap look before the dear one at every lock. It may have kept it from
-- earlier, so where it is much, how many locks are in use, too. @P1: what is much.
SELECT
    CAST(m.kb AS bigint),
    CASE
        WHEN m.kb >= @P1
            THEN (
                SELECT MAX(cntr_value)
                FROM sys.dm_os_performance_counters
                WHERE object_name LIKE N'%:Memory Manager%' AND counter_name IN (N'Lock Blocks', N'Lock Owner Blocks')
            )
    END
FROM (SELECT SUM(pages_kb) AS kb FROM sys.dm_os_memory_clerks WHERE type = 'OBJECTSTORE_LOCK_MANAGER') AS m;
