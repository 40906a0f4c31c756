-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Whether this session is encrypted, as the server sees it ('TRUE', 'FALSE'). Closed to those without the right to see
-- connections.
SELECT encrypt_option
FROM sys.dm_exec_connections
WHERE session_id = @@SPID;
