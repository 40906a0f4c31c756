-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The exclusive lock of a table that is used for nothing else, after lock_timeout at most.
LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE
