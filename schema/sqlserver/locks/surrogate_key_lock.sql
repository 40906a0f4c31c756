-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The row of a key, locked up to the end of the transaction: 0 = at once, 1 = after waiting {timeout} ms at most, -1 = not
-- obtained. @P1 key, @P2 whether to wait at all, @P3 a savepoint for surrogate_undo.sql. A key without a row gets one, but
-- then the place between its neighbours stays locked, too: surrogate_key_add.sql, before the transaction, spares that. A
-- wait that ends with error 1222 leaves the transaction alive, hence no XACT_ABORT; both settings end with this statement.
SET NOCOUNT ON;
SET XACT_ABORT OFF;
SET LOCK_TIMEOUT {timeout};
SAVE TRANSACTION @P3;
DECLARE @Answer int = 0, @Rows int;
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
IF @Answer >= 0 AND @Rows = 0
    INSERT INTO {table} ({key}) VALUES (@P1);
SELECT @Answer
