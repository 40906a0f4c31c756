-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The row of a key, locked, after lock_timeout at most.
SELECT 1 FROM {table} WHERE {key} = $1 FOR UPDATE
