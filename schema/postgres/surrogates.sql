-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Surrogate locks: locks of the server's on tables and rows that stand for a name.

-- name: table_exists
-- Whether a table is there; $1 is its quoted name.
SELECT to_regclass($1) IS NOT NULL;

-- name: table_add
-- Makes the surrogate table of a name; see install.sql.
SELECT lockscope.add_surrogate_table($1);

-- name: table_try
-- The exclusive lock of a table that is used for nothing else, or error 55P03 at once.
LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE NOWAIT;

-- name: table_wait
-- The exclusive lock of a table that is used for nothing else, after lock_timeout at most.
LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE;

-- name: table_held
-- What LOCK TABLE has just locked, since it looks the name up again after each wait: the table that bears the name now, and
-- the transaction that has it. $1 is its quoted name.
SELECT to_regclass($1)::oid::text, pg_current_xact_id()::text;

-- name: table_holder
-- Who else has locked a surrogate table ($1 is its quoted name): user, host, program, session.
SELECT a.usename::text, coalesce(a.client_hostname, host(a.client_addr), 'local'), a.application_name, l.pid
FROM pg_locks AS l
JOIN pg_stat_activity AS a ON a.pid = l.pid
WHERE l.locktype = 'relation' AND l.granted AND l.pid <> pg_backend_pid() AND l.relation = to_regclass($1)
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
LIMIT 1;

-- name: key_add
-- Sees to it that the key has its row; that somebody else was quicker is no error. Looking first and inserting then
-- would be a race.
INSERT INTO {table} ({key}) VALUES ($1) ON CONFLICT DO NOTHING;

-- name: key_unique
-- Whether two can't insert the same key: else each would lock a row of his own. $1 is the table's quoted name, $2 the column.
-- The statements that use the table report that it is not there.
SELECT
    to_regclass($1) IS NULL
    OR EXISTS (
        SELECT FROM pg_index AS i
        JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
        WHERE i.indrelid = to_regclass($1) AND a.attname = $2 AND i.indisunique AND i.indisvalid AND i.indimmediate
            AND i.indnkeyatts = 1 AND i.indpred IS NULL);

-- name: key_reach
-- Locks the table as `key_try` does, and no row: after that nobody's lock on the table can be in its way.
SELECT {key} FROM {table} WHERE false FOR UPDATE;

-- name: key_try
-- The row of a key, locked, if it is there and nobody has it: the key as the row has it, and the transaction.
SELECT {key}::text, pg_current_xact_id()::text FROM {table} WHERE {key} = $1 FOR UPDATE SKIP LOCKED;

-- name: key_nowait
-- The row of a key, locked, or error 55P03 at once; no row if somebody has removed it meanwhile.
SELECT {key}::text, pg_current_xact_id()::text FROM {table} WHERE {key} = $1 FOR UPDATE NOWAIT;

-- name: key_wait
-- The row of a key, locked, after lock_timeout at most; no row if the session that was waited for, or another one, has removed
-- it: then nothing is locked.
SELECT {key}::text, pg_current_xact_id()::text FROM {table} WHERE {key} = $1 FOR UPDATE;

-- name: key_holder
-- Whose transaction has locked the row of a key: user, host, program, session.
SELECT a.usename::text, coalesce(a.client_hostname, host(a.client_addr), 'local'), a.application_name, l.pid
FROM {table} AS s
JOIN pg_locks AS l ON l.transactionid = s.xmax
JOIN pg_stat_activity AS a ON a.pid = l.pid
WHERE s.{key} = $1 AND l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock' AND l.granted
    AND l.pid <> pg_backend_pid()
LIMIT 1;
