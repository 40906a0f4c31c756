-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Is exactly this session still there, and how far has it come with its rollback? @P1 session id, @P2 login time in
-- microseconds. Without the right to see requests the progress is unknown.
SELECT
    CAST(r.percent_complete AS float),
    CAST(r.estimated_completion_time AS bigint),
    r.command
FROM sys.dm_exec_sessions AS s
LEFT OUTER JOIN sys.dm_exec_requests AS r ON s.session_id = r.session_id
WHERE
    s.session_id = @P1
    AND @P2 = DATEDIFF_BIG(MICROSECOND, '19700101', CAST(s.login_time AS datetime2));
