-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The databases whose names begin so.
SELECT name FROM sys.databases WHERE LEFT(name, LEN(@P1)) = @P1
