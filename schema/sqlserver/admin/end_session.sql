-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Ends exactly the session that was shown, and records it: session ids are reused. KILL can't be part of a transaction,
-- so the intention is on record before the act and its outcome after it.
-- @P1 session id, @P2 its login time in microseconds, @P3 account, @P4 host and program, @P5 act, @P6 target, @P7 reason,
-- @P8 the state that was shown, as JSON.
SET NOCOUNT ON;
DECLARE
    @origin nvarchar(MAX) = @P3 + N', ' + @P4,
    @found nvarchar(MAX) = (
        SELECT
            session_id,
            login_time,
            login_name,
            host_name,
            program_name,
            status,
            database_id,
            open_transaction_count,
            is_user_process,
            last_request_start_time,
            last_request_end_time
        FROM sys.dm_exec_sessions
        WHERE session_id = @P1
        FOR JSON PATH, WITHOUT_ARRAY_WRAPPER
    ),
    @before nvarchar(MAX),
    @outcome nvarchar(400),
    @recorded nvarchar(400),
    @kill nvarchar(40) = N'KILL ' + CAST(CAST(@P1 AS int) AS nvarchar(11)),
    @id bigint;

-- What was shown has the statement, which the view of the sessions lacks.
SET @before = N'{"found":' + COALESCE(@found, N'null') + N',"shown":' + COALESCE(@P8, N'null') + N'}';
IF @found IS NULL
    SET @outcome = N'changed meanwhile: the session has ended';
ELSE IF @P1 = @@SPID
    SET @outcome = N'refused: it is the session that asks';
ELSE IF EXISTS (SELECT 1 FROM sys.dm_exec_sessions WHERE session_id = @P1 AND is_user_process = 0)
    SET @outcome = N'refused: it belongs to the server itself';
ELSE IF NOT EXISTS (
    SELECT 1
    FROM sys.dm_exec_sessions
    WHERE
        session_id = @P1
        AND @P2 = DATEDIFF_BIG(MICROSECOND, '19700101', CAST(login_time AS datetime2))
)
    SET @outcome = N'changed meanwhile: another session has this id now';

SET @recorded = COALESCE(@outcome, N'begun: the outcome follows');
EXECUTE lockscope.RecordAct
    @Origin = @origin, @Act = @P5, @Target = @P6, @Reason = @P7, @Before = @before, @Outcome = @recorded, @Id = @id OUTPUT;

IF @outcome IS NULL
BEGIN
    EXECUTE (@kill);
    SET @outcome = N'done';
    EXECUTE lockscope.RecordAct
        @Origin = @origin, @Act = @P5, @Target = @P6, @Reason = @P7, @Before = @before, @Outcome = @outcome, @Id = @id OUTPUT;
END;

SELECT
    @id,
    @outcome;
