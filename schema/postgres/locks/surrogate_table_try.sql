-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The exclusive lock of a table that is used for nothing else, or error 55P03 at once.
LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE NOWAIT
