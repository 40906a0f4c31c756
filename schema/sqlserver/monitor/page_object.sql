-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- From SQL Server 2019 on.
-- Whose page somebody waits for. @P1 database, @P2 file, @P3 page.
SELECT
    OBJECT_SCHEMA_NAME(object_id, database_id),
    OBJECT_NAME(object_id, database_id)
FROM sys.dm_db_page_info(@P1, @P2, @P3, N'LIMITED');
