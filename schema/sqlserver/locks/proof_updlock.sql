-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
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
SELECT @Answer
