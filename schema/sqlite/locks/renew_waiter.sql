-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Still waiting; no row if the registration is gone. ?1 ticket, ?2 token.
UPDATE lockscope_lock_waiter SET expires_at = CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER) + 2000000
WHERE ticket = ?1 AND token = ?2 RETURNING ticket
