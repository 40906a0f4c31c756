-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Together with the sessions in it. An engine that knows no single-user mode drops a database that nobody uses.
BEGIN TRY
    ALTER DATABASE {name} SET SINGLE_USER WITH ROLLBACK IMMEDIATE;
END TRY
BEGIN CATCH
END CATCH;
DROP DATABASE {name}
