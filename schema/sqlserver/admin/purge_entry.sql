-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Deletes exactly the row that was shown, if it is still stale. @P1 name, @P2 fencing number. What the row was is read
-- first: OUTPUT can't make JSON.
SET NOCOUNT ON;
DECLARE @gone nvarchar(MAX) = (
    SELECT
        name,
        fencing,
        acquired_at,
        expires_at,
        owner,
        host,
        program,
        process_id,
        session_id,
        login
    FROM lockscope.lock_entry WITH (UPDLOCK)
    WHERE name_key = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @P1))) AND fencing = @P2
    FOR JSON PATH, WITHOUT_ARRAY_WRAPPER
);
DELETE FROM lockscope.lock_entry
WHERE
    name_key = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @P1)))
    AND fencing = @P2
    AND expires_at <= SYSUTCDATETIME();
SELECT @gone
WHERE @@ROWCOUNT > 0;
