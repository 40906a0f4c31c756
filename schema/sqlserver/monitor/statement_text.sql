-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The text behind a handle. @P1: the handle as 0x and hexadecimal digits.
SELECT SUBSTRING(text, 1, 32768)
FROM sys.dm_exec_sql_text(CONVERT(varbinary(64), @P1, 1));
