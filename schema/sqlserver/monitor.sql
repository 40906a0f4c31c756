-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What a poll reads.

-- name: clock
-- The server's clock: first and last statement of every poll, so that the difference is what the poll cost there.
SELECT DATEDIFF_BIG(MICROSECOND, '19700101', SYSUTCDATETIME());

-- name: identity
-- Who we are here, asked once per connection: login, user, database.
SELECT
    SUSER_SNAME(),
    USER_NAME(),
    CAST(DB_ID() AS bigint),
    DB_NAME();

-- name: surroundings
-- What surrounds the locks, asked every ten seconds: counters of the whole server. In spite of their names they are totals
-- (type 272696576), but for the number of connections at present (type 65792). Transactions are counted when they begin.
SELECT
    counter_name,
    cntr_value
FROM sys.dm_os_performance_counters
WHERE
    (
        cntr_type = 272696576
        AND (
            (object_name LIKE N'%:Databases%' AND counter_name = N'Transactions/sec' AND instance_name = N'_Total')
            OR (object_name LIKE N'%:SQL Statistics%' AND counter_name = N'Batch Requests/sec')
            OR (object_name LIKE N'%:Buffer Manager%' AND counter_name = N'Checkpoint pages/sec')
        )
    )
    OR (cntr_type = 65792 AND object_name LIKE N'%:General Statistics%' AND counter_name = N'User Connections');

-- name: lock_counts
-- The waits for locks that the server has counted since it started, by what is locked. In spite of their names these are
-- totals (type 272696576). The object's name has the instance in it, "MSSQL$SHOP:Locks", and blanks at its end.
SELECT
    counter_name,
    instance_name,
    cntr_value
FROM sys.dm_os_performance_counters
WHERE cntr_type = 272696576 AND object_name LIKE N'%:Locks%' AND instance_name <> N'_Total'
    AND counter_name IN (N'Lock Waits/sec', N'Lock Wait Time (ms)', N'Number of Deadlocks/sec');

-- name: role
-- Whether this server has the primary replica of this session's database; no row: it is in no availability group.
SELECT TOP (1) CAST(s.is_primary_replica AS int)
FROM sys.dm_hadr_database_replica_states AS s
WHERE s.is_local = 1 AND s.database_id = DB_ID()
ORDER BY s.is_primary_replica;

-- name: replication
-- How far the secondary replicas are behind, as their primary knows it: the worst database of each.
SELECT TOP (20)
    COALESCE(MAX(r.replica_server_name), CAST(s.replica_id AS nvarchar(36))),
    MAX(s.secondary_lag_seconds) * CAST(1000 AS bigint)
FROM sys.dm_hadr_database_replica_states AS s
LEFT JOIN sys.availability_replicas AS r ON s.replica_id = r.replica_id
WHERE s.is_local = 0 AND s.secondary_lag_seconds IS NOT NULL
GROUP BY s.replica_id
ORDER BY MAX(s.secondary_lag_seconds) DESC;

-- name: settings
-- What the server is set to now. Everybody may read it; nothing in it is secret.
SELECT
    name,
    CAST(value_in_use AS nvarchar(60))
FROM sys.configurations;

-- name: database_settings
-- What this session's database is set to, of what decides about locks and how long transactions take.
SELECT
    CASE d.is_read_committed_snapshot_on WHEN 1 THEN N'ON' ELSE N'OFF' END,
    d.snapshot_isolation_state_desc,
    d.recovery_model_desc,
    d.delayed_durability_desc,
    CAST(d.compatibility_level AS nvarchar(10))
FROM sys.databases AS d
WHERE d.name = DB_NAME();

-- name: cluster
-- Which database this is, wherever it is: replicas and restored copies have the same identifier, another database of the same
-- name has another one. Asked once per connection; no row without the right to see it.
SELECT CAST(r.family_guid AS nvarchar(36))
FROM sys.database_recovery_status AS r
WHERE r.database_id = DB_ID();

-- name: locks
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

-- name: waiting_tasks
-- Who waits for whom, with the exact length of each wait. Threads of one statement that wait for each other (parallel
-- plans) are no blocking: their blocker is their own session.
SELECT
    CAST(session_id AS bigint),
    wait_duration_ms,
    wait_type,
    CAST(blocking_session_id AS bigint),
    CAST(resource_address AS bigint),
    resource_description
FROM sys.dm_os_waiting_tasks
WHERE
    session_id IS NOT NULL
    AND (wait_type LIKE N'LCK[_]%' OR blocking_session_id <> session_id)
    AND wait_type NOT LIKE N'CX%'
    AND wait_type <> N'EXCHANGE';

-- name: sessions
-- The server's sessions. Without the right to see the others it is only our own. A login time stays as it is, in local
-- time, because it names the session: converted it would move by an hour with every change of daylight saving time. The
-- column with TZOFFSET alone is what local time is ahead of UTC, for who shows it. 1900-01-01 stands for no time at all.
SELECT
    CAST(session_id AS bigint),
    DATEDIFF_BIG(MICROSECOND, '19700101', CAST(NULLIF(login_time, CAST('19000101' AS datetime)) AS datetime2)),
    status,
    login_name,
    host_name,
    program_name,
    CAST(database_id AS bigint),
    CAST(open_transaction_count AS bigint),
    CAST(is_user_process AS int),
    DATEDIFF_BIG(
        MICROSECOND,
        '19700101',
        DATEADD(
            MINUTE,
            -DATEPART(TZOFFSET, SYSDATETIMEOFFSET()),
            CAST(NULLIF(last_request_start_time, CAST('19000101' AS datetime)) AS datetime2)
        )
    ),
    DATEDIFF_BIG(
        MICROSECOND,
        '19700101',
        DATEADD(
            MINUTE,
            -DATEPART(TZOFFSET, SYSDATETIMEOFFSET()),
            CAST(NULLIF(last_request_end_time, CAST('19000101' AS datetime)) AS datetime2)
        )
    ),
    DATEPART(TZOFFSET, SYSDATETIMEOFFSET()),
    CAST(transaction_isolation_level AS bigint),
    CAST(cpu_time AS bigint),
    logical_reads,
    reads,
    writes,
    CAST(host_process_id AS bigint)
FROM sys.dm_exec_sessions;

-- name: requests
-- What runs at this moment: state, wait, progress, by handle the statement, and what it has cost so far. Memory is granted
-- in pages of 8 KB.
SELECT
    CAST(session_id AS bigint),
    status,
    command,
    DATEDIFF_BIG(
        MICROSECOND,
        '19700101',
        DATEADD(
            MINUTE,
            -DATEPART(TZOFFSET, SYSDATETIMEOFFSET()),
            CAST(NULLIF(start_time, CAST('19000101' AS datetime)) AS datetime2)
        )
    ),
    wait_type,
    CAST(wait_time AS bigint),
    wait_resource,
    CAST(blocking_session_id AS bigint),
    CAST(percent_complete AS float),
    CAST(estimated_completion_time AS bigint),
    sql_handle,
    CAST(statement_start_offset AS bigint),
    CAST(statement_end_offset AS bigint),
    CAST(transaction_id AS bigint),
    CAST(open_transaction_count AS bigint),
    CAST(transaction_isolation_level AS bigint),
    CAST(granted_query_memory AS bigint) * 8192,
    CAST(cpu_time AS bigint),
    logical_reads,
    reads,
    writes
FROM sys.dm_exec_requests
WHERE session_id > 0;

-- name: connections
-- The last statement of each connection by its handle: what a sleeping session did before it fell asleep.
SELECT
    CAST(session_id AS bigint),
    most_recent_sql_handle,
    client_net_address
FROM sys.dm_exec_connections
WHERE session_id IS NOT NULL;

-- name: transactions
-- Since when each session's transaction is open: no lock of it is older. State 7 is a rollback under way. A transaction has
-- its log in each database that it writes to.
SELECT
    CAST(s.session_id AS bigint),
    a.transaction_id,
    DATEDIFF_BIG(
        MICROSECOND,
        '19700101',
        DATEADD(
            MINUTE,
            -DATEPART(TZOFFSET, SYSDATETIMEOFFSET()),
            CAST(NULLIF(a.transaction_begin_time, CAST('19000101' AS datetime)) AS datetime2)
        )
    ),
    CAST(a.transaction_state AS int),
    CAST(d.log_bytes AS bigint)
FROM sys.dm_tran_session_transactions AS s
INNER JOIN sys.dm_tran_active_transactions AS a ON s.transaction_id = a.transaction_id
LEFT OUTER JOIN (
    SELECT
        transaction_id,
        SUM(database_transaction_log_bytes_used) AS log_bytes
    FROM sys.dm_tran_database_transactions
    GROUP BY transaction_id
) AS d ON a.transaction_id = d.transaction_id
WHERE s.is_user_transaction = 1;

-- name: lock_memory
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

-- name: app_locks_tested
-- Where the lock view is missing or closed: of the registered names those that somebody holds an application lock of, and
-- whether they could be had shared. Who holds them is unknown.
SELECT TOP (200)
    name,
    APPLOCK_TEST('public', name, 'Shared', 'Session')
FROM lockscope.app_lock_name
WHERE APPLOCK_TEST('public', name, 'Exclusive', 'Session') = 0
ORDER BY first_used_at DESC;

-- name: schema_probe
-- Which of our tables are there, and may we read them? What the catalogue hides from us counts as missing.
-- Readers may read lock_entry but for the tokens, column by column. {object_print}: frameworks/print.
SELECT
    o.name,
    CASE
        WHEN
            HAS_PERMS_BY_NAME(N'lockscope.' + QUOTENAME(o.name), 'OBJECT', 'SELECT') = 1
            OR HAS_PERMS_BY_NAME(N'lockscope.' + QUOTENAME(o.name), 'OBJECT', 'SELECT', N'name', 'COLUMN') = 1
            THEN 1
        ELSE 0
    END,
    {object_print}
FROM sys.tables AS o
INNER JOIN sys.schemas AS s ON o.schema_id = s.schema_id
WHERE s.name = N'lockscope' AND o.name IN (N'lock_entry', N'lock_waiter', N'app_lock_name');

-- name: entries
-- The lock table: every row is a lock. Of its token no more is shown than tells two apart.
SELECT
    name,
    token_start,
    fencing,
    DATEDIFF_BIG(MICROSECOND, '19700101', acquired_at),
    DATEDIFF_BIG(MICROSECOND, '19700101', expires_at),
    owner,
    host,
    program,
    process_id,
    CAST(session_id AS bigint)
FROM lockscope.lock_entry
ORDER BY name;

-- name: entry_waiters
-- The visible queue of the lock table, in its order.
SELECT
    name,
    ticket,
    DATEDIFF_BIG(MICROSECOND, '19700101', registered_at),
    DATEDIFF_BIG(MICROSECOND, '19700101', expires_at),
    owner,
    host,
    program,
    process_id,
    CAST(session_id AS bigint)
FROM lockscope.lock_waiter
ORDER BY name, ticket;
