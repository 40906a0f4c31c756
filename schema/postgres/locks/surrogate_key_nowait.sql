-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The row of a key, locked, or error 55P03 at once.
SELECT 1 FROM {table} WHERE {key} = $1 FOR UPDATE NOWAIT
