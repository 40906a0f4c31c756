-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Tables as work queues: taking rows, finishing them, giving them back.

-- name: take
-- The next packet of a work queue: the @P1 oldest rows that nobody works on, stamped with the server's time. A row whose
-- stamp is older than @P2 milliseconds (ten years at most) is handed out again: its reader died. UPDLOCK makes a second
-- reader meet the first one's rows, READPAST makes it skip them instead of waiting; in a database with row versions it needs
-- READCOMMITTEDLOCK.
SET NOCOUNT ON;
DECLARE @Taken TABLE (row_key nvarchar(450), row_stamp nvarchar(40), place sql_variant{declared});
DECLARE @Patience bigint = CASE WHEN @P2 < 315360000000 THEN @P2 ELSE 315360000000 END;
DECLARE @Days int = @Patience / 86400000, @Milliseconds int = @Patience % 86400000;
WITH q AS (
    SELECT TOP (@P1) * FROM {table} WITH (UPDLOCK, READPAST, ROWLOCK, READCOMMITTEDLOCK)
    WHERE {stamp} IS NULL OR {stamp} < DATEADD(MILLISECOND, -@Milliseconds, DATEADD(DAY, -@Days, {now}))
    ORDER BY {order}
)
UPDATE q SET {stamp} = {now}
OUTPUT
    CAST(INSERTED.{key} AS nvarchar(450)), CONVERT(nvarchar(40), INSERTED.{stamp}, 121), INSERTED.{order}{columns}
INTO @Taken;
SELECT row_key, row_stamp{names} FROM @Taken ORDER BY place;

-- name: delete
-- A row is done: deletes it, if it was not handed out again meanwhile (@P2 = the stamp that it was taken with).
DELETE FROM {table} WHERE {key} = @P1 AND CONVERT(nvarchar(40), {stamp}, 121) = @P2;

-- name: move
-- A row is done: moves it to a table of the same columns, if it was not handed out again meanwhile (@P2 = the stamp that
-- it was taken with).
DELETE FROM {table}
OUTPUT DELETED.* INTO {archive}
WHERE {key} = @P1 AND CONVERT(nvarchar(40), {stamp}, 121) = @P2;

-- name: give_back
-- A row goes back to the queue at once, if it was not handed out again meanwhile (@P2 = the stamp that it was taken with).
UPDATE {table} SET {stamp} = DEFAULT WHERE {key} = @P1 AND CONVERT(nvarchar(40), {stamp}, 121) = @P2;
