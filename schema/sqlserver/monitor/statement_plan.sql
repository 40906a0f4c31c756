-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The plan of what one session runs, for a person who asked for it. The plan is that of the statement, not of the whole
-- batch. @P1 session id; @P2 its login time as sessions.sql tells it, NULL: any.
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
