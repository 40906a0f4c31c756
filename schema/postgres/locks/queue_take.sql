-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
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
SELECT row_key, row_stamp{names} FROM stamped ORDER BY place
