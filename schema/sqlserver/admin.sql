-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Acts on sessions and entries, and their audit.

-- name: role
-- As which login and user do we act here?
SELECT
    SUSER_SNAME(),
    USER_NAME();

-- name: rights
-- What may this login do here? Login and user; is the schema there, and (as far as this login may see it) its audit table;
-- may acts be recorded in it; may sessions be ended (null: the server does not tell)?
SELECT
    SUSER_SNAME(),
    USER_NAME(),
    CASE WHEN EXISTS (SELECT 1 FROM sys.schemas WHERE name = N'lockscope') THEN 1 ELSE 0 END,
    CASE
        WHEN EXISTS (
            SELECT 1
            FROM sys.tables AS t
            INNER JOIN sys.schemas AS s ON t.schema_id = s.schema_id
            WHERE s.name = N'lockscope' AND t.name = N'audit_log'
        ) THEN 1
        ELSE 0
    END,
    COALESCE(HAS_PERMS_BY_NAME(N'lockscope.RecordAct', N'OBJECT', N'EXECUTE'), 0),
    CASE
        WHEN CAST(SERVERPROPERTY('EngineEdition') AS int) = 5
            THEN HAS_PERMS_BY_NAME(DB_NAME(), N'DATABASE', N'KILL DATABASE CONNECTION')
        ELSE HAS_PERMS_BY_NAME(NULL, NULL, N'ALTER ANY CONNECTION')
    END;

-- name: table_rights
-- May this user free rows of that table? An act reads the whole row before. @P1 schema, @P2 table, @P3 both, quoted, @P4
-- how: DELETE or UPDATE. User, may it, can anybody; a table that a user may not touch it may not see either: then it may not.
SELECT
    USER_NAME(),
    CAST(
        CASE
            WHEN
                HAS_PERMS_BY_NAME(@P3, N'OBJECT', N'SELECT') = 1
                AND HAS_PERMS_BY_NAME(@P3, N'OBJECT', @P4) = 1
                THEN 1
            ELSE 0
        END AS bigint
    ),
    CAST(1 AS bigint)
WHERE @P1 IS NOT NULL AND @P2 IS NOT NULL;

-- name: session_lives
-- Is exactly this session still there? @P1 session id, @P2 its login time in microseconds.
SELECT 1
FROM sys.dm_exec_sessions
WHERE
    session_id = @P1
    AND @P2 = DATEDIFF_BIG(MICROSECOND, '19700101', CAST(login_time AS datetime2));

-- name: end_session
-- Ends exactly the session that was shown, and records it: session ids are reused. KILL can't be part of a transaction,
-- so the intention is on record before the act and its outcome after it.
-- @P1 session id, @P2 its login time in microseconds, @P3 account, @P4 host and program, @P5 act, @P6 target, @P7 reason,
-- @P8 the state that was shown, as JSON, @P9: 1 = record it here, 0 = that is done elsewhere. Answers with the id of the
-- record, the outcome, and what was there as JSON.
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
IF @P9 = 1
    EXECUTE lockscope.RecordAct
        @Origin = @origin, @Act = @P5, @Target = @P6, @Reason = @P7, @Before = @before, @Outcome = @recorded, @Id = @id OUTPUT;

IF @outcome IS NULL
BEGIN
    EXECUTE (@kill);
    SET @outcome = N'done';
    IF @P9 = 1
        EXECUTE lockscope.RecordAct
            @Origin = @origin, @Act = @P5, @Target = @P6, @Reason = @P7, @Before = @before, @Outcome = @outcome,
            @Id = @id OUTPUT;
END;

SELECT
    @id,
    @outcome,
    @before;

-- name: end_unit_of_work
-- Ends exactly the orphaned distributed transaction that was shown, and records it: before the act, which can't be part of
-- a transaction, and after it.
-- @P1 its unit of work, @P2 account, @P3 host and program, @P4 act, @P5 target, @P6 reason, @P7 the state that was shown,
-- as JSON, @P8: 1 = record it here, 0 = that is done elsewhere. Answers with the id of the record, the outcome, and that state.
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
IF @P8 = 1
    EXECUTE lockscope.RecordAct
        @Origin = @origin, @Act = @P4, @Target = @P5, @Reason = @P6, @Before = @P7, @Outcome = @recorded, @Id = @id OUTPUT;

IF @outcome IS NULL
BEGIN
    SET @kill = N'KILL ''' + CAST(@unit AS nvarchar(36)) + N'''';
    EXECUTE (@kill);
    SET @outcome = N'done';
    IF @P8 = 1
        EXECUTE lockscope.RecordAct
            @Origin = @origin, @Act = @P4, @Target = @P5, @Reason = @P6, @Before = @P7, @Outcome = @outcome, @Id = @id OUTPUT;
END;

SELECT
    @id,
    @outcome,
    @P7;

-- name: session_progress
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

-- name: rollback_status
-- How far the rollback of an ended session is: the server's own report comes as a message, or as error 6120 when nothing
-- is rolling back. @P1: the session id.
DECLARE @kill nvarchar(60) = N'KILL ' + CAST(CAST(@P1 AS int) AS nvarchar(11)) + N' WITH STATUSONLY';
EXEC (@kill);

-- name: entry_now
-- Who has the name now? @P1 name.
SELECT
    e.owner,
    e.host,
    (
        SELECT
            e.name,
            e.fencing,
            e.acquired_at,
            e.expires_at,
            e.owner,
            e.host,
            e.program,
            e.process_id,
            e.session_id
        FOR JSON PATH, WITHOUT_ARRAY_WRAPPER
    )
FROM lockscope.lock_entry AS e
WHERE e.name_key = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @P1)));

-- name: next_waiter
-- Who gets the name next? @P1 name.
SELECT TOP (1)
    owner,
    host
FROM lockscope.lock_waiter
WHERE name_key = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @P1))) AND expires_at > SYSUTCDATETIME()
ORDER BY ticket;

-- name: release_entry
-- Deletes exactly the row that was shown: a fencing number is drawn once. @P1 name, @P2 fencing number. What the row was is
-- read first: OUTPUT can't make JSON.
SET NOCOUNT ON;
DECLARE @gone nvarchar(MAX) = (
    SELECT
        name,
        fencing,
        acquired_at,
        expires_at,
        owner,
        host,
        program,
        process_id,
        session_id,
        login
    FROM lockscope.lock_entry WITH (UPDLOCK)
    WHERE name_key = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @P1))) AND fencing = @P2
    FOR JSON PATH, WITHOUT_ARRAY_WRAPPER
);
DELETE FROM lockscope.lock_entry
WHERE
    name_key = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @P1)))
    AND fencing = @P2;
SELECT @gone
WHERE @@ROWCOUNT > 0;

-- name: purge_entry
-- Deletes exactly the row that was shown, if it is still stale. @P1 name, @P2 fencing number. What the row was is read
-- first: OUTPUT can't make JSON.
SET NOCOUNT ON;
DECLARE @gone nvarchar(MAX) = (
    SELECT
        name,
        fencing,
        acquired_at,
        expires_at,
        owner,
        host,
        program,
        process_id,
        session_id,
        login
    FROM lockscope.lock_entry WITH (UPDLOCK)
    WHERE name_key = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @P1))) AND fencing = @P2
    FOR JSON PATH, WITHOUT_ARRAY_WRAPPER
);
DELETE FROM lockscope.lock_entry
WHERE
    name_key = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @P1)))
    AND fencing = @P2
    AND expires_at <= SYSUTCDATETIME();
SELECT @gone
WHERE @@ROWCOUNT > 0;

-- name: audit_table
-- Is the audit table there?
SELECT 1
FROM sys.tables AS t
INNER JOIN sys.schemas AS s ON t.schema_id = s.schema_id
WHERE s.name = N'lockscope' AND t.name = N'audit_log';

-- name: audit_write
-- Records an act. @P1 account, @P2 host and program, @P3 act, @P4 target, @P5 reason, @P6 state before as JSON, @P7 outcome.
-- Who it was, the procedure takes from the session.
SET NOCOUNT ON;
DECLARE @Origin nvarchar(MAX) = @P1 + N', ' + @P2, @Id bigint;
EXECUTE lockscope.RecordAct
    @Origin = @Origin, @Act = @P3, @Target = @P4, @Reason = @P5, @Before = @P6, @Outcome = @P7, @Id = @Id OUTPUT;
SELECT @Id;

-- name: audit_outcome
-- How an act ended that this transaction has recorded. @P1 its id, @P2 state before as JSON (null: as it was recorded),
-- @P3 outcome.
EXECUTE lockscope.RecordOutcome @Id = @P1, @Before = @P2, @Outcome = @P3;

-- name: audit_read
-- The latest acts, newest first. @P1: how many.
SELECT TOP (@P1)
    id,
    DATEDIFF_BIG(MICROSECOND, '19700101', at),
    who,
    origin,
    act,
    target,
    reason,
    [before],
    outcome
FROM lockscope.audit_log
ORDER BY id DESC;
