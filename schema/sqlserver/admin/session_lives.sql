-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Is exactly this session still there? @P1 session id, @P2 its login time in microseconds.
SELECT 1
FROM sys.dm_exec_sessions
WHERE
    session_id = @P1
    AND @P2 = DATEDIFF_BIG(MICROSECOND, '19700101', CAST(login_time AS datetime2));
