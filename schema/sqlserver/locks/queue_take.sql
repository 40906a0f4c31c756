-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The next packet of a work queue: the @P1 oldest rows that nobody works on, stamped with the server's time. A row whose
-- stamp is older than @P2 milliseconds is handed out again: its reader died. UPDLOCK makes a second reader meet the first
-- one's rows, READPAST makes it skip them instead of waiting.
SET NOCOUNT ON;
DECLARE @Taken TABLE (row_key nvarchar(450), row_stamp nvarchar(40), place sql_variant{declared});
WITH q AS (
    SELECT TOP (@P1) * FROM {table} WITH (UPDLOCK, READPAST, ROWLOCK)
    WHERE {stamp} IS NULL OR {stamp} < DATEADD(MILLISECOND, -CAST(@P2 AS int), {now})
    ORDER BY {order}
)
UPDATE q SET {stamp} = {now}
OUTPUT
    CAST(INSERTED.{key} AS nvarchar(450)), CONVERT(nvarchar(40), INSERTED.{stamp}, 121), INSERTED.{order}{columns}
INTO @Taken;
SELECT row_key, row_stamp{names} FROM @Taken ORDER BY place
