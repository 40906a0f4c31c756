-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A piece of the text behind a handle. @P1: the handle as 0x and hexadecimal digits; @P2 characters before the piece.
SELECT SUBSTRING(text, CAST(@P2 AS int) + 1, 32768)
FROM sys.dm_exec_sql_text(CONVERT(varbinary(64), @P1, 1));
