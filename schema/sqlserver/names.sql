-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The names of what locks are on, looked up once for each.

-- name: databases
-- Names of databases.
SET LOCK_TIMEOUT 0;
SELECT
    CAST(database_id AS bigint),
    name
FROM sys.databases;

-- name: object
-- The name of an object. @P1: its id. From the catalogue and not by OBJECT_NAME(), which waits for a session that alters it.
-- An object that is being altered stalls no poll: a later one finds the name. The setting ends with the statement.
SET LOCK_TIMEOUT 0;
SELECT s.name + N'.' + o.name + CASE o.type
    WHEN 'V' THEN N' (view)'
    WHEN 'P' THEN N' (procedure)'
    WHEN 'SO' THEN N' (sequence)'
    WHEN 'SQ' THEN N' (queue)'
    WHEN 'S' THEN N' (system table)'
    ELSE N''
END
FROM {database_name}.sys.objects AS o
INNER JOIN {database_name}.sys.schemas AS s ON o.schema_id = s.schema_id
WHERE o.object_id = @P1;

-- name: partition
-- What a row, page or key lock stands in: table, index and partition. @P1: the id of the heap or B-tree.
SET LOCK_TIMEOUT 0;
SELECT TOP (1) s.name + N'.' + o.name
    + CASE WHEN i.index_id > 1 THEN N'.' + i.name ELSE N'' END
    + CASE WHEN p.partition_number > 1 THEN N' (partition ' + CAST(p.partition_number AS nvarchar(11)) + N')' ELSE N'' END
FROM {database_name}.sys.partitions AS p
INNER JOIN {database_name}.sys.objects AS o ON p.object_id = o.object_id
INNER JOIN {database_name}.sys.schemas AS s ON o.schema_id = s.schema_id
INNER JOIN {database_name}.sys.indexes AS i ON p.object_id = i.object_id AND p.index_id = i.index_id
WHERE p.hobt_id = @P1;

-- name: allocation_unit
-- What an allocation unit belongs to. @P1: its id.
SET LOCK_TIMEOUT 0;
SELECT TOP (1) s.name + N'.' + o.name
FROM {database_name}.sys.allocation_units AS a
INNER JOIN {database_name}.sys.partitions AS p ON a.container_id IN (p.hobt_id, p.partition_id)
INNER JOIN {database_name}.sys.objects AS o ON p.object_id = o.object_id
INNER JOIN {database_name}.sys.schemas AS s ON o.schema_id = s.schema_id
WHERE a.allocation_unit_id = @P1;

-- name: page_object
-- From SQL Server 2019 on.
-- Whose page somebody waits for. @P1 database, @P2 file, @P3 page.
SELECT
    OBJECT_SCHEMA_NAME(object_id, database_id),
    OBJECT_NAME(object_id, database_id)
FROM sys.dm_db_page_info(@P1, @P2, @P3, N'LIMITED');

-- name: app_locks
-- Registered names that begin like an application lock's visible part. @P1: that part, exactly as it is in the name. Of
-- several the one that somebody holds in this database is meant: it is not to be had exclusively. The order is that of
-- the code units: none that begins with the part sorts outside of it.
SET LOCK_TIMEOUT 0;
SELECT TOP (50)
    name,
    APPLOCK_TEST('public', name, 'Exclusive', 'Session')
FROM lockscope.app_lock_name
WHERE
    name >= CONVERT(nvarchar(255), @P1)
    AND name < CONVERT(nvarchar(255), @P1) + NCHAR(65535);

-- name: table_columns
-- The columns of the tables and views that this session may see, in their order: whether a column can hold a lock's
-- name, and whether a time, and whether that time knows its zone. System type 240 is that of all types of assemblies; one that
-- the session may not see is none of these.
SELECT
    s.name,
    o.name,
    c.name,
    CASE WHEN t.name IN (N'char', N'varchar', N'nchar', N'nvarchar') THEN 1 ELSE 0 END,
    CASE WHEN t.name IN (N'datetime', N'datetime2', N'smalldatetime', N'datetimeoffset') THEN 1 ELSE 0 END,
    CASE WHEN t.name = N'datetimeoffset' THEN 1 ELSE 0 END
FROM sys.objects AS o
INNER JOIN sys.schemas AS s ON o.schema_id = s.schema_id
INNER JOIN sys.columns AS c ON o.object_id = c.object_id
LEFT OUTER JOIN sys.types AS t
    ON t.user_type_id = CASE WHEN c.system_type_id = 240 THEN c.user_type_id ELSE c.system_type_id END
WHERE o.type IN (N'U', N'V') AND o.is_ms_shipped = 0 AND s.name <> N'lockscope'
ORDER BY s.name, o.name, c.column_id;
