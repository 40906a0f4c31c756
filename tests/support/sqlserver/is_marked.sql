-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
SELECT CAST(CASE WHEN OBJECT_ID(N'dbo.lockscope_made_by_a_test', N'U') IS NULL THEN 0 ELSE 1 END AS bit)
