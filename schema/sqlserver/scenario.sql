-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The schema of a scenario run: made, filled again, dropped.

-- name: rights
-- May a run take place here? User, database; may a schema with tables be made (1) or not (0), is the lock table
-- there, as far as this user can see it, may it be used; may procedures be made (some set-ups do)?
SELECT
    USER_NAME(),
    DB_NAME(),
    CASE
        WHEN
            HAS_PERMS_BY_NAME(DB_NAME(), N'DATABASE', N'CREATE SCHEMA') = 1
            AND HAS_PERMS_BY_NAME(DB_NAME(), N'DATABASE', N'CREATE TABLE') = 1
            THEN 1
        ELSE 0
    END,
    CASE WHEN EXISTS (SELECT 1 FROM sys.schemas WHERE name = N'lockscope') THEN 1 ELSE 0 END,
    COALESCE(HAS_PERMS_BY_NAME(N'lockscope.AcquireLock', N'OBJECT', N'EXECUTE'), 0),
    COALESCE(HAS_PERMS_BY_NAME(DB_NAME(), N'DATABASE', N'CREATE PROCEDURE'), 0);

-- name: create
-- The schema of one scenario run; everything that the run makes is in it.
CREATE SCHEMA {schema};

-- name: mark
-- Tells a run's schema from one that somebody else called so.
CREATE TABLE {schema}.lockscope_run (made_at datetime2(6) NOT NULL DEFAULT SYSUTCDATETIME());

-- name: key_table
-- One row a surrogate key, in the schema of the run.
CREATE TABLE {table} ([key] nvarchar(255) COLLATE Latin1_General_BIN2 NOT NULL PRIMARY KEY);

-- name: lock_table
-- A surrogate table of the run: there only to be locked.
CREATE TABLE {table} (unused bit);

-- name: list
-- The schemas of all runs, those that crashed among them.
SELECT s.name
FROM sys.schemas AS s
INNER JOIN sys.tables AS t ON s.schema_id = t.schema_id
WHERE LEFT(s.name, 14) = N'lockscope_run_' AND t.name = N'lockscope_run'
ORDER BY s.name;

-- name: objects
-- What is in the schema @P1 of a run, its mark last: while it is there, the run is found.
SELECT
    o.name,
    RTRIM(o.type)
FROM sys.objects AS o
INNER JOIN sys.schemas AS s ON o.schema_id = s.schema_id
WHERE s.name = @P1 AND o.type IN ('U', 'P', 'SO')
ORDER BY CASE WHEN o.name = N'lockscope_run' THEN 1 ELSE 0 END, o.object_id DESC;

-- name: forget_entries
-- Lock-table entries that a run left behind: their names begin with @P1.
DELETE FROM lockscope.lock_entry WHERE LEFT(name, LEN(@P1)) = @P1;

-- name: forget_waiters
-- Places in the queues of the lock table that a run left behind: the names begin with @P1.
DELETE FROM lockscope.lock_waiter WHERE LEFT(name, LEN(@P1)) = @P1;

-- name: forget_names
-- The names of application locks that only one run has used: those that begin with @P1, and its own, @P2.
DELETE FROM lockscope.app_lock_name WHERE LEFT(name, LEN(@P1)) = @P1 OR name = @P2;

-- name: drop_table
-- Removes a table of a run.
DROP TABLE {object};

-- name: drop_sequence
-- Removes a sequence of a run.
DROP SEQUENCE IF EXISTS {object};

-- name: drop_procedure
-- Removes a procedure of a run.
DROP PROCEDURE {object};

-- name: drop
-- Removes the schema of a run, which is empty by now.
DROP SCHEMA {schema};

-- name: columns
-- The tables of a run's schema @P1 with their columns, without those that Lockscope has made.
SELECT
    t.name,
    c.name
FROM sys.tables AS t
INNER JOIN sys.schemas AS s ON t.schema_id = s.schema_id
INNER JOIN sys.columns AS c ON t.object_id = c.object_id
WHERE s.name = @P1 AND LEFT(t.name, 10) <> N'lockscope_' AND LEFT(t.name, 9) <> N'surrogate'
ORDER BY t.object_id, c.column_id;

-- name: peek
-- The first rows of a table of the run, at most @P1, as written: a reader of what is committed would have to wait.
SELECT TOP (@P1) {cells} FROM {table} WITH (READUNCOMMITTED) ORDER BY 1;
