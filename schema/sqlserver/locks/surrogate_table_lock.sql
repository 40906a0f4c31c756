-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The exclusive lock of a table that is used for nothing else, up to the end of the transaction: 0 = at once, 1 = after
-- waiting {timeout} ms at most, -1 = not obtained. @P1 whether to wait at all, @P2 a savepoint for surrogate_undo.sql. A
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
SELECT @Answer
