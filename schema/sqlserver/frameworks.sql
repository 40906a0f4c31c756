-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The tables in which frameworks keep locks as rows: where they are and what stands in them. What stands in braces is filled in:
-- names in quotes, parameters, and parts that are here as queries of their own (what follows SELECT or WHERE).

-- name: tables
-- Which tables of the connection's database have these names, or have a column of those names, column by column. @P1 names,
-- @P2 names of columns, each in lower case and between line ends; @P3 a user that the person in front of us trusts, or ''. Who
-- reads a table runs foreign code only by a security policy (there is one of somebody who is not trusted: no table is), by
-- computed columns and by columns of types that are assemblies. These (geometry, hierarchyid …) have one system type, 240, that
-- is no row of sys.types; any other column has the name of its system type. A type of assemblies that the login may not see has
-- an empty name. {object_print}: see print.
SELECT
    s.name,
    o.name,
    CAST(o.object_id AS bigint),
    ISNULL(USER_NAME(ISNULL(o.principal_id, s.principal_id)), N'?'),
    CASE
        WHEN EXISTS (
            SELECT 1
            FROM sys.objects AS p
            INNER JOIN sys.schemas AS q ON p.schema_id = q.schema_id
            WHERE p.type = 'SP' AND ISNULL(USER_NAME(ISNULL(p.principal_id, q.principal_id)), N'?') NOT IN (N'dbo', USER_NAME(), @P3)
        ) THEN 0
        ELSE 1
    END,
    CASE WHEN o.type = 'U' THEN 1 ELSE 0 END,
    (SELECT SUM(p.rows) FROM sys.partitions AS p WHERE p.object_id = o.object_id AND p.index_id < 2),
    c.name,
    ISNULL(y.name, N''),
    HAS_PERMS_BY_NAME(QUOTENAME(s.name) + N'.' + QUOTENAME(o.name), 'OBJECT', 'SELECT', c.name, 'COLUMN'),
    CASE WHEN c.is_computed = 1 OR ISNULL(y.is_assembly_type, 1) = 1 THEN 1 ELSE 0 END,
    {object_print}
FROM sys.objects AS o
INNER JOIN sys.schemas AS s ON o.schema_id = s.schema_id
INNER JOIN sys.columns AS c ON o.object_id = c.object_id
LEFT OUTER JOIN sys.types AS y
    ON y.user_type_id = CASE WHEN c.system_type_id = 240 THEN c.user_type_id ELSE c.system_type_id END
WHERE
    o.type IN ('U', 'V') AND o.is_ms_shipped = 0 AND s.name <> N'lockscope'
    AND (
        CHARINDEX(NCHAR(10) + LOWER(o.name) + NCHAR(10), @P1) > 0
        OR o.object_id IN (SELECT k.object_id FROM sys.columns AS k WHERE CHARINDEX(NCHAR(10) + LOWER(k.name) + NCHAR(10), @P2) > 0)
    )
ORDER BY s.name, o.name, c.column_id;

-- name: parts
-- The heaps and B-trees of the same tables: locks on rows name these. @P1 names, @P2 names of columns, as above.
SELECT DISTINCT
    CAST(o.object_id AS bigint),
    p.hobt_id
FROM sys.objects AS o
INNER JOIN sys.partitions AS p ON o.object_id = p.object_id
WHERE
    o.type = 'U' AND o.is_ms_shipped = 0
    AND (
        CHARINDEX(NCHAR(10) + LOWER(o.name) + NCHAR(10), @P1) > 0
        OR o.object_id IN (SELECT k.object_id FROM sys.columns AS k WHERE CHARINDEX(NCHAR(10) + LOWER(k.name) + NCHAR(10), @P2) > 0)
    );

-- name: schemas
-- The names of the schemas and of the database, and whether that is a copy to read from.
SELECT
    s.name,
    DB_NAME(),
    CASE WHEN DATABASEPROPERTYEX(DB_NAME(), 'Updateability') = 'READ_ONLY' THEN 1 ELSE 0 END,
    N'',
    0
FROM sys.schemas AS s
WHERE s.name NOT IN (N'sys', N'INFORMATION_SCHEMA', N'guest') AND s.name NOT LIKE N'db[_]%'
ORDER BY s.name;

-- name: rows
-- The locks of one table, and at the end of each row how many there are.
SELECT TOP ({most})
    {parts},
    COUNT_BIG(*) OVER ()
FROM {table}
WHERE {held}
ORDER BY 1;

-- name: rows_of_processes
-- The locks of one table with the processes that hold them, which another table lists.
SELECT TOP ({most})
    {parts},
    COUNT_BIG(*) OVER ()
FROM {table}
LEFT OUTER JOIN (
    SELECT
        {key} AS lockscope_key,
        CAST({host} AS nvarchar(4000)) AS lockscope_host,
        CAST({process} AS nvarchar(4000)) AS lockscope_process,
        CAST({beat} AS nvarchar(4000)) AS lockscope_beat,
        CAST({time} AS bigint) AS lockscope_time
    FROM {processes}
) AS p ON p.lockscope_key = {process_of}
WHERE {held}
ORDER BY 1;

-- name: time_zoned
-- Microseconds since 1970.
SELECT DATEDIFF_BIG(MICROSECOND, '19700101', CAST(SWITCHOFFSET({column}, '+00:00') AS datetime2));

-- name: time_utc
-- The same of a time without a zone, in UTC.
SELECT DATEDIFF_BIG(MICROSECOND, '19700101', TRY_CAST({column} AS datetime2));

-- name: time_local
-- The same of the server's local time. Times at the very ends of the calendar, which their zone would carry beyond it, give
-- NULL.
SELECT CASE
    WHEN TRY_CAST({column} AS datetime2) BETWEEN '00010102' AND '99991230'
        THEN DATEDIFF_BIG(
            MICROSECOND,
            '19700101',
            DATEADD(MINUTE, -DATEPART(TZOFFSET, SYSDATETIMEOFFSET()), TRY_CAST({column} AS datetime2)))
END;

-- name: time_seconds
SELECT CAST({column} AS float) * 1000000;

-- name: time_milliseconds
SELECT CAST({column} AS float) * 1000;

-- name: time_ticks
SELECT (CAST({column} AS float) - 621355968000000000) / 10;

-- name: nothing
-- What the table does not tell.
SELECT NULL;

-- name: always
SELECT 1 WHERE 1 = 1;

-- name: is
SELECT 1 WHERE {column} = {value};

-- name: is_not
SELECT 1 WHERE ({column} <> {value} OR {column} IS NULL);

-- name: is_null
SELECT 1 WHERE {column} IS NULL;

-- name: is_not_null
SELECT 1 WHERE {column} IS NOT NULL;

-- name: is_like
-- With regard to case, whatever the collation is.
SELECT 1 WHERE CAST({column} AS nvarchar(4000)) COLLATE Latin1_General_BIN2 LIKE {value} ESCAPE N'\';

-- name: is_future
-- What can't be reckoned with counts as to come. {value}: microseconds that are to be added to it.
SELECT 1 WHERE {column} IS NOT NULL
AND COALESCE({time}, 9223372036854775807) > DATEDIFF_BIG(MICROSECOND, '19700101', SYSUTCDATETIME()) - {value};

-- name: print
-- The linter looks for what `o` and `s` are, and does not know what is filled in below. -- noqa: disable=RF01,PRS
-- What tells the object `o` of the schema `s` from another one of its name, and from itself once it was altered: its number, its
-- type, its owner or that of its schema, its last change, and the last change of the database's security policies. Babelfish
-- does not tell of changes.
SELECT CAST(
    CAST(o.object_id AS nvarchar(20))
    + N' ' + RTRIM(o.type)
    + N' ' + CAST(ISNULL(ISNULL(o.principal_id, s.principal_id), 0) AS nvarchar(20))
    + CASE
        WHEN SERVERPROPERTY('BabelfishVersion') IS NULL
            THEN
                N' ' + ISNULL(CONVERT(nvarchar(30), o.modify_date, 126), N'')
                + N' ' + (
                    SELECT CAST(COUNT(*) AS nvarchar(20)) + N' ' + ISNULL(CONVERT(nvarchar(30), MAX(p.modify_date), 126), N'')
                    FROM sys.objects AS p
                    WHERE p.type = 'SP'
                )
        ELSE N''
    END AS nvarchar(400)
);

-- name: as_judged
-- Reads only if the tables are those that were judged, and as they were then: {judged} their names in brackets and their prints.
-- {read} follows it.
IF EXISTS (
    SELECT 1
    FROM (VALUES {judged}) AS j (name, print_then)
    WHERE NOT EXISTS (
        SELECT 1
        FROM sys.objects AS o
        INNER JOIN sys.schemas AS s ON o.schema_id = s.schema_id
        WHERE o.object_id = OBJECT_ID(j.name) AND {object_print} = j.print_then
    )
)
    THROW 50000, N'lockscope: not as judged', 1;
{read};
