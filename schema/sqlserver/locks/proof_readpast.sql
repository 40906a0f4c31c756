-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
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
SELECT @Answer
