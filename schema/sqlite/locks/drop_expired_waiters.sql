-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Crashed waiters leave the queue. They are passed over at once; the row stays a while, because who could not renew it
-- for want of the file keeps the place that way.
DELETE FROM lockscope_lock_waiter WHERE name = ?1 AND expires_at <= CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER) - 10000000
