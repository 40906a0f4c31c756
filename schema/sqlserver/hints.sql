-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Whether this server's locks do what the hints say; tried on a table of our own.

-- name: table
-- A table for two sessions that try out what this server does with locking hints. It goes with the session that made it.
CREATE TABLE {table} (id int NOT NULL PRIMARY KEY);
INSERT INTO {table} (id) VALUES (1), (2);

-- name: place
-- Whether locking hints can be tried out in this very database, in the table that the schema keeps for it: it is there, we may
-- lock its rows, and nobody else does so now. Our turn ends with the session.
SET NOCOUNT ON;
DECLARE @Answer int = -999;
IF
    HAS_PERMS_BY_NAME(N'lockscope.hint_proof', 'OBJECT', 'SELECT') = 1
    AND HAS_PERMS_BY_NAME(N'lockscope.hint_proof', 'OBJECT', 'UPDATE') = 1
    EXECUTE @Answer = sys.sp_getapplock
        @Resource = N'lockscope proof of hints', @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = 5000;
SELECT CAST(CASE WHEN @Answer >= 0 THEN 1 ELSE 0 END AS bit);

-- name: updlock
-- The first session locks a row by reading it, the second one must not get it: -1.
SET NOCOUNT ON;
SET XACT_ABORT OFF;
SET LOCK_TIMEOUT 0;
DECLARE @Answer int = 0;
BEGIN TRY
    SELECT @Answer = id FROM {table} WITH (UPDLOCK, HOLDLOCK, ROWLOCK) WHERE id = 1;
END TRY
BEGIN CATCH
    SET @Answer = -1;
    IF ERROR_NUMBER() <> 1222
        BEGIN;
            THROW;
        END;
END CATCH;
SELECT @Answer;

-- name: readpast
-- The first session takes row 1, the second one must skip it: 2.
SET NOCOUNT ON;
SET XACT_ABORT OFF;
SET LOCK_TIMEOUT 0;
DECLARE @Answer int = 0;
BEGIN TRY
    SELECT TOP (1) @Answer = id FROM {table} WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK) ORDER BY id;
END TRY
BEGIN CATCH
    SET @Answer = -1;
    IF ERROR_NUMBER() <> 1222
        BEGIN;
            THROW;
        END;
END CATCH;
SELECT @Answer;

-- name: tablockx
-- The first session locks the table by reading it, the second one must not get it: -1.
SET NOCOUNT ON;
SET XACT_ABORT OFF;
SET LOCK_TIMEOUT 0;
DECLARE @Answer int = 0;
BEGIN TRY
    SELECT @Answer = COUNT(*) FROM {table} WITH (TABLOCKX, HOLDLOCK);
END TRY
BEGIN CATCH
    SET @Answer = -1;
    IF ERROR_NUMBER() <> 1222
        BEGIN;
            THROW;
        END;
END CATCH;
SELECT @Answer;
