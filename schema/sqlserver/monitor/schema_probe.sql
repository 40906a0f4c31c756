-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Which of our tables are there, and may we read them? What the catalogue hides from us counts as missing.
-- Readers may read lock_entry but for the tokens, column by column.
SELECT
    t.name,
    CASE
        WHEN
            HAS_PERMS_BY_NAME(N'lockscope.' + QUOTENAME(t.name), 'OBJECT', 'SELECT') = 1
            OR HAS_PERMS_BY_NAME(N'lockscope.' + QUOTENAME(t.name), 'OBJECT', 'SELECT', N'name', 'COLUMN') = 1
            THEN 1
        ELSE 0
    END
FROM sys.tables AS t
INNER JOIN sys.schemas AS s ON t.schema_id = s.schema_id
WHERE s.name = N'lockscope' AND t.name IN (N'lock_entry', N'lock_waiter', N'app_lock_name');
