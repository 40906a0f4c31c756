-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The server's own records of its deadlocks: reports that event sessions keep, and a counter. Nothing here changes anything.

-- name: sessions
-- The event sessions that run and catch deadlocks or long waits, and where they put them. Their targets are taken from what
-- they were set up with: the view of the targets themselves writes the content of each ring buffer as XML for each reader.
SELECT
    s.name,
    t.target,
    t.target_file,
    e.deadlocks,
    e.blocked
FROM sys.dm_xe_sessions AS s
INNER JOIN (
    SELECT
        event_session_address,
        MAX(CASE WHEN event_name = N'blocked_process_report' THEN 0 ELSE 1 END) AS deadlocks,
        MAX(CASE WHEN event_name = N'blocked_process_report' THEN 1 ELSE 0 END) AS blocked
    FROM sys.dm_xe_session_events
    WHERE event_name IN (N'xml_deadlock_report', N'blocked_process_report')
    GROUP BY event_session_address
) AS e ON s.address = e.event_session_address
INNER JOIN (
    SELECT
        event_session_address,
        object_name AS target,
        MAX(CASE WHEN column_name = N'filename' THEN column_value END) AS target_file
    FROM sys.dm_xe_session_object_columns
    WHERE object_type = N'target' AND object_name IN (N'event_file', N'ring_buffer')
    GROUP BY event_session_address, object_name
) AS t ON s.address = t.event_session_address
ORDER BY s.name, t.target;

-- name: sessions_of_database
-- The same on Azure SQL Database, where each database has its own.
SELECT
    s.name,
    t.target,
    t.target_file,
    e.deadlocks,
    e.blocked
FROM sys.dm_xe_database_sessions AS s
INNER JOIN (
    SELECT
        event_session_address,
        MAX(CASE WHEN event_name = N'blocked_process_report' THEN 0 ELSE 1 END) AS deadlocks,
        MAX(CASE WHEN event_name = N'blocked_process_report' THEN 1 ELSE 0 END) AS blocked
    FROM sys.dm_xe_database_session_events
    WHERE event_name IN (N'database_xml_deadlock_report', N'xml_deadlock_report', N'blocked_process_report')
    GROUP BY event_session_address
) AS e ON s.address = e.event_session_address
INNER JOIN (
    SELECT
        event_session_address,
        object_name AS target,
        MAX(CASE WHEN column_name = N'filename' THEN column_value END) AS target_file
    FROM sys.dm_xe_database_session_object_columns
    WHERE object_type = N'target' AND object_name IN (N'event_file', N'ring_buffer')
    GROUP BY event_session_address, object_name
) AS t ON s.address = t.event_session_address
ORDER BY s.name, t.target;

-- name: target
-- What a target tells: of files the one that is written to, of a ring buffer all that is in it, as XML of at most 4 MB.
-- @P1: session, @P2: target.
SELECT t.target_data
FROM sys.dm_xe_sessions AS s
INNER JOIN sys.dm_xe_session_targets AS t ON s.address = t.event_session_address
WHERE s.name = @P1 AND t.target_name = @P2;

-- name: target_of_database
-- The same on Azure SQL Database.
SELECT t.target_data
FROM sys.dm_xe_database_sessions AS s
INNER JOIN sys.dm_xe_database_session_targets AS t ON s.address = t.event_session_address
WHERE s.name = @P1 AND t.target_name = @P2;

-- name: events
-- Reports in event files, from behind a block on. @P1: the files; @P2, @P3: file and offset of that block, both NULL for
-- the start; @P4: how many reports at most, but always whole blocks. The function has no order of its own, and the offset
-- that it gives is the block's: so blocks are numbered, from the end. Of the last two blocks there is a row even if no report
-- is in them, so that the reader gets on. Other events' content is not asked for.
SELECT
    file_name,
    file_offset,
    CAST(block_from_end AS bigint),
    oldest_file,
    report
FROM (
    SELECT
        file_name,
        file_offset,
        block_from_end,
        oldest_file,
        report,
        RANK() OVER (ORDER BY file_name, file_offset) AS place
    FROM (
        SELECT
            file_name,
            file_offset,
            report,
            MIN(file_name) OVER () AS oldest_file,
            DENSE_RANK() OVER (ORDER BY file_name DESC, file_offset DESC) AS block_from_end,
            ROW_NUMBER() OVER (PARTITION BY file_name, file_offset ORDER BY is_report DESC) AS number_in_block
        FROM (
            SELECT
                f.file_name,
                f.file_offset,
                CASE
                    WHEN
                        f.object_name IN (N'xml_deadlock_report', N'database_xml_deadlock_report', N'blocked_process_report')
                        THEN 1
                    ELSE 0
                END AS is_report,
                CASE
                    WHEN
                        f.object_name IN (N'xml_deadlock_report', N'database_xml_deadlock_report', N'blocked_process_report')
                        THEN f.event_data
                END AS report
            FROM sys.fn_xe_file_target_read_file(@P1, NULL, @P2, @P3) AS f
        ) AS event
    ) AS numbered
    WHERE report IS NOT NULL OR (block_from_end <= 2 AND number_in_block = 1)
) AS kept
WHERE place <= @P4
ORDER BY file_name, file_offset
OPTION (MAXDOP 1);

-- name: events_since
-- From SQL Server 2017 on.
-- The same for a first poll: only reports from a time on (@P5), and all of the last block, which will be read again.
SELECT
    file_name,
    file_offset,
    CAST(block_from_end AS bigint),
    oldest_file,
    report
FROM (
    SELECT
        file_name,
        file_offset,
        block_from_end,
        oldest_file,
        report,
        RANK() OVER (ORDER BY file_name, file_offset) AS place
    FROM (
        SELECT
            file_name,
            file_offset,
            report,
            happened,
            MIN(file_name) OVER () AS oldest_file,
            DENSE_RANK() OVER (ORDER BY file_name DESC, file_offset DESC) AS block_from_end,
            ROW_NUMBER() OVER (PARTITION BY file_name, file_offset ORDER BY is_report DESC) AS number_in_block
        FROM (
            SELECT
                f.file_name,
                f.file_offset,
                DATEDIFF_BIG(MICROSECOND, '19700101', CAST(f.timestamp_utc AS datetime2)) AS happened,
                CASE
                    WHEN
                        f.object_name IN (N'xml_deadlock_report', N'database_xml_deadlock_report', N'blocked_process_report')
                        THEN 1
                    ELSE 0
                END AS is_report,
                CASE
                    WHEN
                        f.object_name IN (N'xml_deadlock_report', N'database_xml_deadlock_report', N'blocked_process_report')
                        THEN f.event_data
                END AS report
            FROM sys.fn_xe_file_target_read_file(@P1, NULL, @P2, @P3) AS f
        ) AS event
    ) AS numbered
    WHERE
        (report IS NOT NULL AND (happened >= @P5 OR block_from_end = 1))
        OR (block_from_end <= 2 AND number_in_block = 1)
) AS kept
WHERE place <= @P4
ORDER BY file_name, file_offset
OPTION (MAXDOP 1);

-- name: telemetry
-- From SQL Server 2017 on.
-- What Azure SQL Database itself keeps of the deadlocks of all databases of a logical server: only from its database master,
-- and it may take long. @P1: from which time on, @P2: how many at most, the oldest first.
SELECT TOP (@P2)
    DATEDIFF_BIG(MICROSECOND, '19700101', CAST(f.timestamp_utc AS datetime2)),
    f.event_data
FROM sys.fn_xe_telemetry_blob_target_read_file(N'dl', NULL, NULL, NULL) AS f
WHERE
    f.object_name IN (N'xml_deadlock_report', N'database_xml_deadlock_report')
    AND DATEDIFF_BIG(MICROSECOND, '19700101', CAST(f.timestamp_utc AS datetime2)) >= @P1
ORDER BY f.timestamp_utc
OPTION (MAXDOP 1);

-- name: counter
-- How many deadlocks there were since the server started: in spite of its name the counter is a total (type 272696576).
SELECT cntr_value
FROM sys.dm_os_performance_counters
WHERE
    object_name LIKE N'%:Locks%'
    AND counter_name = N'Number of Deadlocks/sec'
    AND instance_name = N'_Total'
    AND cntr_type = 272696576;

-- name: blocked_threshold
-- From how many seconds on a wait makes a blocked-process report; 0: never.
SELECT CAST(value_in_use AS int)
FROM sys.configurations
WHERE name = N'blocked process threshold (s)';

-- name: make_session
-- For an administrator to read and run: an event session that keeps reports in files. Never sent.
EXECUTE (N'CREATE EVENT SESSION [deadlocks] ON SERVER
ADD EVENT sqlserver.xml_deadlock_report, ADD EVENT sqlserver.blocked_process_report
ADD TARGET package0.event_file (SET filename = N''deadlocks.xel'', max_file_size = 20, max_rollover_files = 5)
WITH (MAX_DISPATCH_LATENCY = 5 SECONDS, STARTUP_STATE = ON);
ALTER EVENT SESSION [deadlocks] ON SERVER STATE = START;');

-- name: make_session_of_database
-- The same on Azure SQL Database, where without a storage account only memory is there. Never sent.
EXECUTE (N'CREATE EVENT SESSION [deadlocks] ON DATABASE
ADD EVENT sqlserver.database_xml_deadlock_report
ADD TARGET package0.ring_buffer (SET MAX_MEMORY = 1024)
WITH (MAX_DISPATCH_LATENCY = 5 SECONDS, STARTUP_STATE = ON);
ALTER EVENT SESSION [deadlocks] ON DATABASE STATE = START;');

-- name: jobs
-- The names of the Agent's jobs whose ids stand in @P1. A user who may not read msdb gets an error, and the ids stay.
SET LOCK_TIMEOUT 50;
SELECT
    CONVERT(nvarchar(36), job_id),
    name
FROM msdb.dbo.sysjobs
WHERE CHARINDEX(CONVERT(nvarchar(36), job_id), @P1) > 0;

-- name: object
-- The name of an object that a report has by number. @P1: its id.
SET LOCK_TIMEOUT 50;
SELECT
    s.name + N'.' + o.name,
    N''
FROM {database_name}.sys.objects AS o
INNER JOIN {database_name}.sys.schemas AS s ON o.schema_id = s.schema_id
WHERE o.object_id = @P1;

-- name: partition
-- The table and index of a row or page that a report has by number. @P1: the id of the heap or B-tree.
SET LOCK_TIMEOUT 50;
SELECT TOP (1)
    s.name + N'.' + o.name,
    COALESCE(i.name, N'')
FROM {database_name}.sys.partitions AS p
INNER JOIN {database_name}.sys.objects AS o ON p.object_id = o.object_id
INNER JOIN {database_name}.sys.schemas AS s ON o.schema_id = s.schema_id
INNER JOIN {database_name}.sys.indexes AS i ON p.object_id = i.object_id AND p.index_id = i.index_id
WHERE p.hobt_id = @P1;
