-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Whether a table is there; @P1 is its quoted name.
SELECT CAST(CASE WHEN OBJECT_ID(@P1, N'U') IS NULL THEN 0 ELSE 1 END AS bit)
