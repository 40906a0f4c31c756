-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Which of our tables are there? Whoever can open the file may read them.
SELECT
    name,
    1
FROM sqlite_master
WHERE type = 'table' AND name IN ('lockscope_lock_entry', 'lockscope_lock_waiter');
