-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The tables in which frameworks keep locks as rows: where they are and what stands in them. What stands in braces is filled in:
-- names in quotes, parameters, and parts that are here as queries of their own (what follows SELECT or WHERE).

-- name: tables
-- Which tables have these names, or have a column of those names, column by column. ?1 names, ?2 names of columns, each in
-- lower case and between line ends; ?3 is not used: a file has no owners. Modules of virtual tables are not run. The last
-- column tells a table from what it is once somebody has altered it: see unchanged.
SELECT
    '',
    t.name,
    t.rootpage,
    substr(?3, 1, 0),
    1,
    t.type = 'table',
    0,
    c.name,
    c.type,
    1,
    0,
    hex(CAST(t.type || ' ' || t.sql AS BLOB))
FROM sqlite_master AS t
INNER JOIN pragma_table_xinfo(t.name) AS c
WHERE t.type IN ('table', 'view') AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND t.name NOT LIKE 'lockscope\_%' ESCAPE '\'
    AND t.sql NOT LIKE 'CREATE VIRTUAL%'
    AND (
        instr(?1, char(10) || lower(t.name) || char(10)) > 0
        OR EXISTS (SELECT 1 FROM pragma_table_info(t.name) AS k WHERE instr(?2, char(10) || lower(k.name) || char(10)) > 0)
    )
ORDER BY t.name, c.cid;

-- name: unchanged
-- Fails by an overflow, before anything of the tables is looked at, unless they are as they were judged: ?1 a JSON object of
-- their names and of what set them apart from others then, as numbers: its bytes need not be UTF-8.
SELECT abs(CASE WHEN count(*) = 0 THEN 0 ELSE -9223372036854775807 - 1 END)
FROM json_each(?1) AS j
WHERE NOT EXISTS (SELECT 1 FROM sqlite_master AS t WHERE t.name = j.key AND hex(CAST(t.type || ' ' || t.sql AS BLOB)) = j.value);

-- name: schemas
-- A file is one schema; keys are not computed from it.
SELECT
    '',
    '',
    0,
    '',
    0;

-- name: rows
-- The locks of one table, and at the end of each row how many there are.
SELECT
    {parts},
    count(*) OVER ()
FROM {table}
WHERE {held}
ORDER BY 1
LIMIT {most};

-- name: rows_of_processes
-- The locks of one table with the processes that hold them, which another table lists.
SELECT
    {parts},
    count(*) OVER ()
FROM {table}
LEFT OUTER JOIN (
    SELECT
        {key} AS lockscope_key,
        {host} AS lockscope_host,
        {process} AS lockscope_process,
        {beat} AS lockscope_beat,
        {time} AS lockscope_time
    FROM {processes}
) AS p ON p.lockscope_key = {process_of}
WHERE {held}
ORDER BY 1
LIMIT {most};

-- name: time_utc
-- Microseconds since 1970 of a time in UTC: text as SQLite's date functions read it, seconds since 1970, or milliseconds, as
-- drivers for Java write them. What is no time of the years 1 to 9999 gives NULL; so does a word that the date functions know,
-- such as 'now'.
SELECT CASE
    WHEN typeof({column}) = 'integer'
        THEN CASE
            WHEN {column} BETWEEN -62135596800 AND 253402300799 THEN {column} * 1000000
            WHEN {column} BETWEEN -62135596800000 AND 253402300799999 THEN {column} * 1000
        END
    WHEN typeof({column}) = 'real' OR {column} GLOB '[0-9]*'
        THEN CAST(round((julianday({column}) - 2440587.5) * 86400000.0) AS INTEGER) * 1000
END;

-- name: time_local
-- The same of the local time of the machine that has the file.
SELECT CASE
    WHEN typeof({column}) = 'integer'
        THEN CASE
            WHEN {column} BETWEEN -62135596800 AND 253402300799 THEN {column} * 1000000
            WHEN {column} BETWEEN -62135596800000 AND 253402300799999 THEN {column} * 1000
        END
    WHEN typeof({column}) = 'real' OR {column} GLOB '[0-9]*'
        THEN CAST(round((julianday({column}, 'utc') - 2440587.5) * 86400000.0) AS INTEGER) * 1000
END;

-- name: time_seconds
SELECT {column} * 1000000.0;

-- name: time_milliseconds
SELECT {column} * 1000.0;

-- name: time_ticks
SELECT ({column} - 621355968000000000) / 10;

-- name: nothing
-- What the table does not tell.
SELECT NULL;

-- name: always
SELECT 1 WHERE 1 = 1;

-- name: is
SELECT 1 WHERE {column} = {value};

-- name: is_not
SELECT 1 WHERE {column} IS NOT {value};

-- name: is_null
SELECT 1 WHERE {column} IS NULL;

-- name: is_not_null
SELECT 1 WHERE {column} IS NOT NULL;

-- name: is_like
SELECT 1 WHERE {column} GLOB {value};

-- name: is_future
-- What can't be reckoned with counts as to come. {value}: microseconds that are to be added to it.
SELECT 1 WHERE {column} IS NOT NULL
AND coalesce({time}, 9223372036854775807) > (julianday('now') - 2440587.5) * 86400000000.0 - {value};

