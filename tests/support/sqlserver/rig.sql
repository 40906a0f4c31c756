-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What the tests do to a server of their own or to its double.

-- name: databases
-- The databases whose names begin so.
SELECT name FROM sys.databases WHERE LEFT(name, LEN(@P1)) = @P1;

-- name: create_database
CREATE DATABASE {name};

-- name: drop_database
-- Together with the sessions in it. Babelfish knows no single-user mode: it drops a database that nobody uses.
IF SERVERPROPERTY('BabelfishVersion') IS NULL
    EXECUTE (N'ALTER DATABASE {name} SET SINGLE_USER WITH ROLLBACK IMMEDIATE;');
DROP DATABASE {name};

-- name: take_turn
-- One test program after the other: the lock goes with the session, however that ends.
DECLARE @Answer int;
EXECUTE @Answer = sp_getapplock
    @Resource = N'lockscope tests', @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = 600000;
SELECT @Answer;

-- name: mark
-- Says that the schema in this database is a test's.
CREATE TABLE dbo.lockscope_made_by_a_test (unused bit NULL);

-- name: is_marked
SELECT CAST(CASE WHEN OBJECT_ID(N'dbo.lockscope_made_by_a_test', N'U') IS NULL THEN 0 ELSE 1 END AS bit);

-- name: unmark
DROP TABLE dbo.lockscope_made_by_a_test;

-- name: set_schema_version
UPDATE lockscope.schema_version SET version = @P1;

-- name: end_session
KILL {session};

-- name: table_waiters
-- How many wait for a lock-table name.
SELECT COUNT(*) FROM lockscope.lock_waiter WHERE name = @P1;

-- name: app_lock_waiters
-- How many wait for an application lock, whose name has no more than 32 characters.
SELECT COUNT(*) FROM sys.dm_tran_locks
WHERE
    resource_type = N'APPLICATION' AND resource_database_id = DB_ID() AND request_status <> N'GRANT'
    AND CHARINDEX(N':[' + @P1 + N']:', resource_description) > 0;

-- name: surrogate_waiters
-- How many wait for a row or a table. Which one is nowhere to be seen.
SELECT COUNT(DISTINCT request_session_id) FROM sys.dm_tran_locks
WHERE resource_type <> N'APPLICATION' AND resource_database_id = DB_ID() AND request_status <> N'GRANT';
