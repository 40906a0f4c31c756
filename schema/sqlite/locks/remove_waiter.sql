-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Leaves the queue.
DELETE FROM lockscope_lock_waiter WHERE ticket = ?1
