-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The locks, read in one pass and summed up: application locks, locks on transactions (optimized locking) and whatever
-- somebody waits for row by row; of the rest one row for each session, object and mode, with their number. The description
-- of a sum of one stays exact.
-- A running maximum (waiting requests first) marks all that stand at a resource that is waited for: the view is never
-- joined to itself.
-- @P1: also the noise that nobody waits for (each session's shared lock on its database, locks on metadata). @P2: how many
-- rows at most.
-- @P3: the lock manager's memory in kB, @P4: the number of locks in use, from which on enumerating them would cost too
-- much: if both are reached, they are not touched.
IF
    CASE
        WHEN @P3 > (SELECT COALESCE(SUM(pages_kb), 0) FROM sys.dm_os_memory_clerks WHERE type = 'OBJECTSTORE_LOCK_MANAGER')
            THEN 1
        WHEN
            @P4 > (
                SELECT MAX(cntr_value)
                FROM sys.dm_os_performance_counters
                WHERE object_name LIKE N'%:Memory Manager%' AND counter_name IN (N'Lock Blocks', N'Lock Owner Blocks')
            )
            THEN 1
        ELSE 0
    END = 1
    SELECT TOP (@P2)
        resource_type,
        resource_subtype,
        resource_database_id,
        resource_associated_entity_id,
        MAX(resource_description),
        MAX(resource_lock_partition),
        request_mode,
        request_status,
        request_owner_type,
        CAST(request_session_id AS bigint),
        request_owner_id,
        CAST(request_owner_guid AS nvarchar(36)),
        CAST(MAX(lock_owner_address) AS bigint),
        MAX(request_reference_count),
        COUNT_BIG(*),
        in_detail,
        SUM(COUNT_BIG(*)) OVER ()
    FROM (
        SELECT
            *,
            CASE
                WHEN resource_type IN (N'APPLICATION', N'XACT') THEN 1
                ELSE MAX(waits) OVER (
                    PARTITION BY
                        resource_database_id,
                        resource_type,
                        resource_subtype,
                        resource_associated_entity_id,
                        resource_description,
                        resource_lock_partition
                    ORDER BY waits DESC
                    ROWS UNBOUNDED PRECEDING
                )
            END AS in_detail
        FROM (
            SELECT
                resource_type,
                resource_subtype,
                resource_database_id,
                resource_description,
                resource_associated_entity_id,
                resource_lock_partition,
                request_mode,
                request_status,
                request_owner_type,
                request_reference_count,
                request_session_id,
                request_owner_id,
                request_owner_guid,
                lock_owner_address,
                CASE WHEN request_status IN (N'GRANT', N'GRANTED') THEN 0 ELSE 1 END AS waits
            FROM sys.dm_tran_locks
        ) AS request
    ) AS marked
    WHERE
        @P1 = 1
        OR in_detail = 1
        OR NOT (resource_type = N'METADATA' OR (resource_type = N'DATABASE' AND request_mode = N'S'))
    GROUP BY
        resource_type,
        resource_subtype,
        resource_database_id,
        resource_associated_entity_id,
        CASE WHEN in_detail = 1 THEN resource_description END,
        CASE WHEN in_detail = 1 THEN resource_lock_partition END,
        CASE WHEN in_detail = 1 THEN lock_owner_address END,
        request_mode,
        request_status,
        request_owner_type,
        request_session_id,
        request_owner_id,
        request_owner_guid,
        in_detail
    ORDER BY in_detail DESC, COUNT_BIG(*) DESC;
