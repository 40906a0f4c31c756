-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Who gets the name next? @P1 name.
SELECT TOP (1)
    owner,
    host
FROM lockscope.lock_waiter
WHERE name_key = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @P1))) AND expires_at > SYSUTCDATETIME()
ORDER BY ticket;
