-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Deletes exactly the row that was shown from a table that was there before us. @P1 name, @P2 time as it is stored. Names are
-- compared by their bytes: the collation may take 'A', 'a' and 'A ' for the same. Answers with what the row was (read first:
-- OUTPUT can't make JSON), with NULL if there are several such and none was deleted, with nothing if there is none.
SET NOCOUNT ON;
DECLARE
    @rows int,
    @name varbinary(8000) = CAST(CAST(@P1 AS nvarchar(4000)) AS varbinary(8000)),
    @gone nvarchar(MAX) = (
        SELECT *
        FROM {table} WITH (UPDLOCK)
        WHERE
            CAST(CAST({name} AS nvarchar(4000)) AS varbinary(8000)) = CAST(CAST(@P1 AS nvarchar(4000)) AS varbinary(8000))
            AND (CONVERT(nvarchar(40), {time}, 121) = @P2 OR ({time} IS NULL AND @P2 IS NULL))
        FOR JSON PATH, WITHOUT_ARRAY_WRAPPER
    );
SELECT @rows = COUNT(*)
FROM {table} WITH (UPDLOCK)
WHERE
    CAST(CAST({name} AS nvarchar(4000)) AS varbinary(8000)) = @name
    AND (CONVERT(nvarchar(40), {time}, 121) = @P2 OR ({time} IS NULL AND @P2 IS NULL));
IF @rows = 1
    BEGIN
        DELETE FROM {table}
        WHERE
            CAST(CAST({name} AS nvarchar(4000)) AS varbinary(8000)) = @name
            AND (CONVERT(nvarchar(40), {time}, 121) = @P2 OR ({time} IS NULL AND @P2 IS NULL));
        IF @@ROWCOUNT <> 1
            BEGIN;
                THROW 50000, N'Another row of this name and time came in this moment: nothing was deleted.', 1;
            END;
    END;
SELECT CASE WHEN @rows = 1 THEN @gone END
WHERE @rows > 0;
