-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- How many wait for a lock-table name.
SELECT COUNT(*) FROM lockscope.lock_waiter WHERE name = @P1
