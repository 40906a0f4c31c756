-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Leaves the queue. ?1 ticket, ?2 token.
DELETE FROM lockscope_lock_waiter WHERE ticket = ?1 AND token = ?2
