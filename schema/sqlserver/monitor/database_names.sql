-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Names of databases.
SET LOCK_TIMEOUT 50;
SELECT
    CAST(database_id AS bigint),
    name
FROM sys.databases;
