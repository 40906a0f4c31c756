-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The row was taken @p2 seconds earlier than it was.
UPDATE {table} SET {stamp} = DATEADD(SECOND, -CAST(@p2 AS int), {stamp}) WHERE {key} = @p1
