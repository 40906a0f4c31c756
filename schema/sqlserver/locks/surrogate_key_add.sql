-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Sees to it that the key has its row. The look holds its lock, so nobody can insert between the look and the insert;
-- looking WITH (NOLOCK) and inserting then would be a race. @P1 key. If somebody else's insert is in the way, the acquire
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
END CATCH
