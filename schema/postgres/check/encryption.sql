-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- How this session is encrypted, as the server sees it; behind a pooler that is the way from there. The
-- last column: by a local socket, where there is nothing to listen to.
SELECT
    ssl,
    version,
    cipher,
    pg_catalog.inet_server_addr() IS NULL
FROM pg_catalog.pg_stat_ssl
WHERE pid = pg_catalog.pg_backend_pid();
