-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- How far the rollback of an ended session is: the server's own report comes as a message, or as error 6120 when nothing
-- is rolling back. @P1: the session id.
DECLARE @kill nvarchar(60) = N'KILL ' + CAST(CAST(@P1 AS int) AS nvarchar(11)) + N' WITH STATUSONLY';
EXEC (@kill);
