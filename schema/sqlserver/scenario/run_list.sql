-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The schemas of all runs, those that crashed among them.
SELECT s.name
FROM sys.schemas AS s
INNER JOIN sys.tables AS t ON s.schema_id = t.schema_id
WHERE LEFT(s.name, 14) = N'lockscope_run_' AND t.name = N'lockscope_run'
ORDER BY s.name
