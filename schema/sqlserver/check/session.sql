-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
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
