-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- How many wait for an application lock, whose name has no more than 32 characters.
SELECT COUNT(*) FROM sys.dm_tran_locks
WHERE
    resource_type = N'APPLICATION' AND resource_database_id = DB_ID() AND request_status <> N'GRANT'
    AND CHARINDEX(N':[' + @P1 + N']:', resource_description) > 0
