-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A wait that was interrupted in the very moment of its grant may have left the lock behind: back to the savepoint @P1, if
-- it was reached; a rollback to it frees what was locked since. Nothing else is undone: each wait has a name of its own.
SET NOCOUNT ON;
SET XACT_ABORT OFF;
BEGIN TRY
    IF XACT_STATE() = 1
        ROLLBACK TRANSACTION @P1;
END TRY
BEGIN CATCH
    SET NOCOUNT ON;
END CATCH
