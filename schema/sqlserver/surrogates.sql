-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Surrogate locks: locks of the server's on tables and rows that stand for a name.

-- name: table_exists
-- Whether a table is there; @P1 is its quoted name.
SELECT CAST(CASE WHEN OBJECT_ID(@P1, N'U') IS NULL THEN 0 ELSE 1 END AS bit);

-- name: table_add
-- Makes the surrogate table of a name; see install.sql.
EXECUTE lockscope.AddSurrogateTable @Name = @P1;

-- name: table_lock
-- The exclusive lock of a table that is used for nothing else, up to the end of the transaction: 0 = at once, 1 = after
-- waiting {timeout} ms at most, -1 = not obtained. @P1 whether to wait at all, @P2 a savepoint for `undo`. A
-- wait that ends with error 1222 leaves the transaction alive, hence no XACT_ABORT; both settings end with this statement.
SET NOCOUNT ON;
SET XACT_ABORT OFF;
SET LOCK_TIMEOUT {timeout};
SAVE TRANSACTION @P2;
DECLARE @Answer int = 0, @Rows int;
BEGIN TRY
    SELECT @Rows = COUNT(*) FROM {table} WITH (TABLOCKX, HOLDLOCK, NOWAIT);
END TRY
BEGIN CATCH
    SET @Answer = -1;
    IF ERROR_NUMBER() <> 1222
        BEGIN;
            THROW;
        END;
END CATCH;
IF @Answer = -1 AND @P1 = 1
    BEGIN
        BEGIN TRY
            SELECT @Rows = COUNT(*) FROM {table} WITH (TABLOCKX, HOLDLOCK);
            SET @Answer = 1;
        END TRY
        BEGIN CATCH
            IF ERROR_NUMBER() <> 1222
                BEGIN;
                    THROW;
                END;
        END CATCH;
    END;
SELECT @Answer;

-- name: key_add
-- Sees to it that the key has its row. The check holds its lock, so nobody can insert between the check and the insert;
-- checking WITH (NOLOCK) and inserting then would be a race. @P1 key. If somebody else's insert blocks it, the acquire
-- waits for it.
SET NOCOUNT ON;
SET XACT_ABORT OFF;
SET LOCK_TIMEOUT 10;
BEGIN TRY
    INSERT INTO {table} ({key})
    SELECT @P1
    WHERE NOT EXISTS (SELECT 1 FROM {table} WITH (UPDLOCK, HOLDLOCK, ROWLOCK) WHERE {key} = @P1);
END TRY
BEGIN CATCH
    IF ERROR_NUMBER() <> 1222
        BEGIN;
            THROW;
        END;
END CATCH;

-- name: key_lock
-- The row of a key, locked up to the end of the transaction: 0 = at once, 1 = after waiting {timeout} ms at most, -1 = not
-- obtained. @P1 key, @P2 whether to wait at all, @P3 a savepoint for `undo`. A key without a row, or whose row was removed
-- while it was waited for, gets one, but then the place between its neighbours stays locked, too: `key_add`, before the
-- transaction, spares that. Where the check keeps nobody from inserting (Babelfish), somebody may be quicker (2601, 2627), and his
-- row may go again: checks and inserts take turns until one finds a row. A wait that ends with error 1222 leaves the transaction
-- alive, hence no XACT_ABORT; both settings end with this statement.
SET NOCOUNT ON;
SET XACT_ABORT OFF;
SET LOCK_TIMEOUT {timeout};
SAVE TRANSACTION @P3;
DECLARE @Answer int = 0, @Rows int = 0, @Round int = 0;
BEGIN TRY
    SELECT @Rows = COUNT(*) FROM {table} WITH (UPDLOCK, HOLDLOCK, ROWLOCK, NOWAIT) WHERE {key} = @P1;
END TRY
BEGIN CATCH
    SET @Answer = -1;
    IF ERROR_NUMBER() <> 1222
        BEGIN;
            THROW;
        END;
END CATCH;
IF @Answer = -1 AND @P2 = 1
    BEGIN
        BEGIN TRY
            SELECT @Rows = COUNT(*) FROM {table} WITH (UPDLOCK, HOLDLOCK, ROWLOCK) WHERE {key} = @P1;
            SET @Answer = 1;
        END TRY
        BEGIN CATCH
            IF ERROR_NUMBER() <> 1222
                BEGIN;
                    THROW;
                END;
        END CATCH;
    END;
WHILE @Answer >= 0 AND @Rows = 0 AND @Round < 100
    BEGIN
        SET @Round = @Round + 1;
        BEGIN TRY
            IF @Round % 2 = 1
                BEGIN
                    INSERT INTO {table} ({key}) VALUES (@P1);
                    SET @Rows = @@ROWCOUNT;
                END
            ELSE
                SELECT @Rows = COUNT(*) FROM {table} WITH (UPDLOCK, HOLDLOCK, ROWLOCK) WHERE {key} = @P1;
        END TRY
        BEGIN CATCH
            IF ERROR_NUMBER() NOT IN (1222, 2601, 2627)
                BEGIN;
                    THROW;
                END;
            IF ERROR_NUMBER() = 1222
                SET @Answer = -1;
        END CATCH;
    END;
IF @Answer >= 0 AND @Rows < 1
    BEGIN;
        THROW 51000, N'The key''s row does not stay in its table: nothing is locked.', 1;
    END;
SELECT @Answer;

-- name: undo
-- A wait that was interrupted just as it was granted may have left the lock behind: back to the savepoint @P1, if
-- it was reached; a rollback to it frees what was locked since. Nothing else is undone: each wait has a name of its own.
SET NOCOUNT ON;
SET XACT_ABORT OFF;
BEGIN TRY
    IF XACT_STATE() = 1
        ROLLBACK TRANSACTION @P1;
END TRY
BEGIN CATCH
    SET NOCOUNT ON;
END CATCH;
