-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What is read of a single session, statement or row.

-- name: statement_text
-- A piece of the text behind a handle. @P1: the handle as 0x and hexadecimal digits; @P2 characters before the piece.
SELECT SUBSTRING(text, CAST(@P2 AS int) + 1, 32768)
FROM sys.dm_exec_sql_text(CONVERT(varbinary(64), @P1, 1));

-- name: input_buffer
-- What a session's client sent last, as it was sent. Asked only of a session that sleeps and holds up others. @P1: its id.
SELECT SUBSTRING(event_info, 1, 32768)
FROM sys.dm_exec_input_buffer(@P1, NULL);

-- name: statement_plan
-- The plan of what one session runs, for a person who asked for it. The plan is that of the statement, not of the whole
-- batch. @P1 session id; @P2 its login time as monitor/sessions tells it, NULL: any.
SELECT
    CAST(CASE WHEN r.session_id IS NULL THEN 0 ELSE 1 END AS bigint),
    CAST(CASE WHEN r.plan_handle IS NULL THEN 0 ELSE 1 END AS bigint),
    CAST(ISNULL(p.encrypted, 0) AS bigint),
    p.query_plan
FROM sys.dm_exec_sessions AS s
LEFT OUTER JOIN sys.dm_exec_requests AS r ON s.session_id = r.session_id
OUTER APPLY sys.dm_exec_text_query_plan(r.plan_handle, r.statement_start_offset, r.statement_end_offset) AS p
WHERE
    s.session_id = @P1
    AND (@P2 IS NULL OR @P2 = DATEDIFF_BIG(MICROSECOND, '19700101', CAST(s.login_time AS datetime2)));

-- name: locked_row_place
-- Where to look for the row behind a lock: table and index of a heap or B-tree. @P1: its id.
SELECT
    s.name,
    o.name,
    CAST(p.index_id AS bigint),
    CAST(p.rows AS bigint)
FROM {database_name}.sys.partitions AS p
INNER JOIN {database_name}.sys.objects AS o ON p.object_id = o.object_id
INNER JOIN {database_name}.sys.schemas AS s ON o.schema_id = s.schema_id
WHERE p.hobt_id = @P1;

-- name: plain_columns
-- The columns of a table whose reading runs no code of others: no computed ones (functions of the maker of the table), none
-- of types with code of their own (geometry, types from assemblies): these have system type 240. @P1: schema and table, quoted.
SELECT c.name
FROM {database_name}.sys.columns AS c
WHERE
    c.object_id = OBJECT_ID(@P1)
    AND c.is_computed = 0
    AND c.system_type_id <> 240
ORDER BY c.column_id;

-- name: locked_row
-- The linter does not know %%lockres%%. -- noqa: disable=PRS
-- Looks for the row behind a key or row lock, by reading the whole table or index: on request only, after a warning.
-- {columns} are named: r.* would run the functions of computed columns with our rights.
-- %%lockres%% is not documented by its maker, and two rows may have the same hash. @P1: the hash as monitor/locks shows it.
SELECT TOP (2) (
    SELECT {columns}
    FOR JSON PATH, WITHOUT_ARRAY_WRAPPER
)
FROM {table} AS r WITH (NOLOCK, INDEX({index_id}))
WHERE %%lockres%% = @P1;
