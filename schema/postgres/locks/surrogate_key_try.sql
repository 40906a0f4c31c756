-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The row of a key, locked, if it is there and nobody has it.
SELECT 1 FROM {table} WHERE {key} = $1 FOR UPDATE SKIP LOCKED
