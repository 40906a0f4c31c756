-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Whether a grant still has its row, and no other server has taken over since. @P1 name, @P2 token.
SELECT 1
FROM lockscope.lock_entry AS e
INNER JOIN lockscope.fencing_epoch AS f ON e.fencing >= f.epoch * CONVERT(bigint, 1099511627776)
WHERE
    e.name_key = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @P1))) AND e.token = @P2
    AND f.server_name = ISNULL(CONVERT(nvarchar(256), SERVERPROPERTY('ServerName')), N'')
