-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What decides which locks the statements of this database take. By name, because on Azure SQL Database the catalogue
-- numbers databases otherwise than the session does. A version that does not know a property answers NULL.
SELECT
    d.name,
    d.collation_name,
    CAST(d.compatibility_level AS int),
    CAST(d.is_read_committed_snapshot_on AS int),
    d.snapshot_isolation_state_desc,
    CAST(DATABASEPROPERTYEX(DB_NAME(), N'IsOptimizedLockingOn') AS int),
    CAST(DATABASEPROPERTYEX(DB_NAME(), N'Updateability') AS nvarchar(60))
FROM sys.databases AS d
WHERE d.name = DB_NAME();
