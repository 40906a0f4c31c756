-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Crashed waiters leave the queue.
DELETE FROM lockscope_lock_waiter WHERE name = ?1 AND expires_at <= CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER)
