-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What the check of a server asks.

-- name: session
-- Who this session is, how it came in, and which roles of ours it has; no right is needed. A role that is not there: NULL.
SELECT
    SUSER_SNAME(),
    USER_NAME(),
    CAST(CONNECTIONPROPERTY('auth_scheme') AS nvarchar(40)),
    CAST(CONNECTIONPROPERTY('net_transport') AS nvarchar(40)),
    CAST(IS_SRVROLEMEMBER(N'sysadmin') AS int),
    CAST(IS_ROLEMEMBER(N'lockscope_reader') AS int),
    CAST(IS_ROLEMEMBER(N'lockscope_operator') AS int),
    CAST(IS_ROLEMEMBER(N'lockscope_admin') AS int);

-- name: database
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

-- name: encryption
-- Whether this session is encrypted, as the server sees it ('TRUE', 'FALSE'). Closed to those without the right to see
-- connections.
SELECT encrypt_option
FROM sys.dm_exec_connections
WHERE session_id = @@SPID;

-- name: schema_owner
-- Whom the schema lockscope belongs to.
SELECT ISNULL(USER_NAME(s.principal_id), N'?')
FROM sys.schemas AS s
WHERE s.name = N'lockscope';
