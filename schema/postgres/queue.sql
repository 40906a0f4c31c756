-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Tables as work queues: taking rows, finishing them, giving them back.

-- name: take
-- The next packet of a work queue: the $1 oldest rows that nobody works on, stamped with the server's time. A row whose
-- stamp is older than $2 microseconds is handed out again: its reader died. Rows that somebody else is just taking are
-- skipped, not waited for.
WITH picked AS (
    SELECT {key} AS row_key FROM {table}
    WHERE {stamp} IS NULL OR {stamp} < {now} - $2 * interval '1 microsecond'
    ORDER BY {order} LIMIT $1
    FOR UPDATE SKIP LOCKED
),
stamped AS (
    UPDATE {table} AS q SET {stamp} = {now} FROM picked AS p WHERE q.{key} = p.row_key
    RETURNING q.{key}::text AS row_key, q.{stamp}::text AS row_stamp, q.{order} AS place{columns}
)
SELECT row_key, row_stamp{names} FROM stamped ORDER BY place;

-- name: delete
-- A row is done: deletes it, if it was not handed out again meanwhile ($2 = the stamp that it was taken with).
DELETE FROM {table} WHERE {key} = $1 AND {stamp}::text = $2;

-- name: move
-- A row is done: moves it to a table of the same columns, if it was not handed out again meanwhile ($2 = the stamp that
-- it was taken with).
WITH gone AS (DELETE FROM {table} WHERE {key} = $1 AND {stamp}::text = $2 RETURNING *)
INSERT INTO {archive} SELECT * FROM gone;

-- name: give_back
-- A row goes back to the queue at once, if it was not handed out again meanwhile ($2 = the stamp that it was taken with).
UPDATE {table} SET {stamp} = DEFAULT WHERE {key} = $1 AND {stamp}::text = $2;
