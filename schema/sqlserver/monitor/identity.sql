-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Who we are here, what this server is and what we may see, asked once per connection. A right that this version does
-- not know is NULL. Editions: 5 Azure SQL Database, 8 Managed Instance.
SELECT
    SUSER_SNAME(),
    USER_NAME(),
    DB_ID(),
    CAST(SERVERPROPERTY('EngineEdition') AS int),
    CAST(SERVERPROPERTY('ProductVersion') AS nvarchar(128)),
    HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER STATE'),
    HAS_PERMS_BY_NAME(NULL, NULL, 'VIEW SERVER PERFORMANCE STATE'),
    HAS_PERMS_BY_NAME(DB_NAME(), 'DATABASE', 'VIEW DATABASE STATE'),
    DB_NAME();
