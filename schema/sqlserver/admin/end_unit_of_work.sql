-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Ends exactly the orphaned distributed transaction that was shown, and records it: before the act, which can't be part of
-- a transaction, and after it.
-- @P1 its unit of work, @P2 account, @P3 host and program, @P4 act, @P5 target, @P6 reason, @P7 the state that was shown,
-- as JSON.
SET NOCOUNT ON;
DECLARE
    @origin nvarchar(MAX) = @P2 + N', ' + @P3,
    @unit uniqueidentifier = CAST(@P1 AS uniqueidentifier),
    @outcome nvarchar(400),
    @recorded nvarchar(400),
    @kill nvarchar(60),
    @id bigint;

-- All zeros: no distributed transaction at all.
IF @unit = CAST('00000000-0000-0000-0000-000000000000' AS uniqueidentifier)
    SET @outcome = N'refused: it has no unit of work';
ELSE IF NOT EXISTS (SELECT 1 FROM sys.dm_tran_locks WHERE request_session_id = -2 AND request_owner_guid = @unit)
    SET @outcome = N'changed meanwhile: no session-less transaction of this unit of work holds locks any more';

SET @recorded = COALESCE(@outcome, N'begun: the outcome follows');
EXECUTE lockscope.RecordAct
    @Origin = @origin, @Act = @P4, @Target = @P5, @Reason = @P6, @Before = @P7, @Outcome = @recorded, @Id = @id OUTPUT;

IF @outcome IS NULL
BEGIN
    SET @kill = N'KILL ''' + CAST(@unit AS nvarchar(36)) + N'''';
    EXECUTE (@kill);
    SET @outcome = N'done';
    EXECUTE lockscope.RecordAct
        @Origin = @origin, @Act = @P4, @Target = @P5, @Reason = @P6, @Before = @P7, @Outcome = @outcome, @Id = @id OUTPUT;
END;

SELECT
    @id,
    @outcome;
