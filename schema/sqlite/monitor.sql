-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What a poll reads.

-- name: clock
-- The clock of the machine that has the file.
SELECT CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000;

-- name: schema_probe
-- Which of our tables are there? Anyone who can open the file may read them. The last column: see frameworks/unchanged.
SELECT
    name,
    1,
    hex(CAST(type || ' ' || sql AS BLOB))
FROM sqlite_master
WHERE type = 'table' AND name IN ('lockscope_lock_entry', 'lockscope_lock_waiter');

-- name: entries
-- The lock table: every row is a lock.
-- Any column may hold anything, whatever its declared type (sqlite.org/datatype3.html): what is no integer stands at
-- the end of the row, with the type and the bytes of the texts. A time that is none compares as one that never comes.
SELECT
    name,
    token,
    fencing,
    acquired_at,
    CASE typeof(expires_at)
        WHEN 'integer' THEN expires_at
        WHEN 'real' THEN CAST(expires_at AS INTEGER)
        ELSE 9223372036854775807
    END,
    substr(owner, 1, 1000),
    substr(host, 1, 1000),
    substr(program, 1, 1000),
    process_id,
    0,
    CASE WHEN typeof(acquired_at) <> 'integer' THEN quote(substr(acquired_at, 1, 60)) END,
    CASE WHEN typeof(expires_at) <> 'integer' THEN quote(substr(expires_at, 1, 60)) END,
    CASE WHEN typeof(fencing) <> 'integer' THEN quote(substr(fencing, 1, 60)) END,
    CASE WHEN typeof(process_id) <> 'integer' THEN quote(substr(process_id, 1, 60)) END,
    typeof(name) || ' X''' || hex(name) || '''',
    typeof(token) || ' X''' || hex(token) || ''''
FROM lockscope_lock_entry
ORDER BY name;

-- name: entry_waiters
-- The visible queue of the lock table, in its order.
-- Any column may hold anything, whatever its declared type (sqlite.org/datatype3.html): what is no integer stands at
-- the end of the row, with the type and the bytes of the texts. A time that is none compares as one that never comes.
SELECT
    name,
    ticket,
    registered_at,
    CASE typeof(expires_at)
        WHEN 'integer' THEN expires_at
        WHEN 'real' THEN CAST(expires_at AS INTEGER)
        ELSE 9223372036854775807
    END,
    substr(owner, 1, 1000),
    substr(host, 1, 1000),
    substr(program, 1, 1000),
    process_id,
    0,
    CASE WHEN typeof(registered_at) <> 'integer' THEN quote(substr(registered_at, 1, 60)) END,
    CASE WHEN typeof(expires_at) <> 'integer' THEN quote(substr(expires_at, 1, 60)) END,
    CASE WHEN typeof(process_id) <> 'integer' THEN quote(substr(process_id, 1, 60)) END,
    typeof(name) || ' X''' || hex(name) || ''''
FROM lockscope_lock_waiter
ORDER BY name, ticket;
