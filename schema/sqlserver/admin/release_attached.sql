-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Deletes exactly the row that was shown from a table that was there before us. @P1 name, @P2 time as it is stored.
-- What the row was is read first: OUTPUT can't make JSON.
SET NOCOUNT ON;
DECLARE @gone nvarchar(MAX) = (
    SELECT *
    FROM {table} WITH (UPDLOCK)
    WHERE
        CAST({name} AS nvarchar(4000)) = @P1
        AND (CONVERT(nvarchar(40), {time}, 121) = @P2 OR ({time} IS NULL AND @P2 IS NULL))
    FOR JSON PATH, WITHOUT_ARRAY_WRAPPER
);
DELETE FROM {table}
WHERE
    CAST({name} AS nvarchar(4000)) = @P1
    AND (CONVERT(nvarchar(40), {time}, 121) = @P2 OR ({time} IS NULL AND @P2 IS NULL));
SELECT @gone
WHERE @@ROWCOUNT > 0;
