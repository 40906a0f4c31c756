-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The row was taken @P2 seconds earlier than it was.
UPDATE {table} SET {stamp} = DATEADD(SECOND, -CAST(@P2 AS int), {stamp}) WHERE {key} = @P1
