-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Together with the sessions in it. Babelfish knows no single-user mode: it drops a database that nobody uses.
IF SERVERPROPERTY('BabelfishVersion') IS NULL
    EXECUTE (N'ALTER DATABASE {name} SET SINGLE_USER WITH ROLLBACK IMMEDIATE;');
DROP DATABASE {name}
