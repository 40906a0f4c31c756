-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Ends exactly the orphaned distributed transaction that was shown, and records it: before the act, which can't be part of
-- a transaction, and after it.
-- @P1 its unit of work, @P2 account, @P3 host and program, @P4 act, @P5 target, @P6 reason, @P7 the state that was shown,
-- as JSON.
SET NOCOUNT ON;
DECLARE
    @who nvarchar(256) = LEFT(@P2 + N' (login ' + SUSER_SNAME() + N')', 256),
    @unit uniqueidentifier = CAST(@P1 AS uniqueidentifier),
    @outcome nvarchar(400),
    @kill nvarchar(60),
    @id bigint;

IF NOT EXISTS (SELECT 1 FROM sys.dm_tran_locks WHERE request_session_id = -2 AND request_owner_guid = @unit)
    SET @outcome = N'changed meanwhile: no session-less transaction of this unit of work holds locks any more';

INSERT INTO lockscope.audit_log (who, origin, act, target, reason, [before], outcome)
VALUES (@who, LEFT(@P3, 512), @P4, LEFT(@P5, 1024), @P6, @P7, COALESCE(@outcome, N'begun: the outcome follows'));
SET @id = SCOPE_IDENTITY();

IF @outcome IS NULL
BEGIN
    SET @kill = N'KILL ''' + CAST(@unit AS nvarchar(36)) + N'''';
    EXEC (@kill);
    SET @outcome = N'done';
    INSERT INTO lockscope.audit_log (who, origin, act, target, reason, [before], outcome)
    VALUES (@who, LEFT(@P3, 512), @P4, LEFT(@P5, 1024), @P6, @P7, @outcome);
    SET @id = SCOPE_IDENTITY();
END;

SELECT
    @id,
    @outcome;
