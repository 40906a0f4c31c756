-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- How many wait for a row or a table. Which one is nowhere to be seen.
SELECT COUNT(DISTINCT request_session_id) FROM sys.dm_tran_locks
WHERE resource_type <> N'APPLICATION' AND resource_database_id = DB_ID() AND request_status <> N'GRANT'
