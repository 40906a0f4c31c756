-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The new end of the lease; no row if the lock is not ours any more. However far back the clock was set, it ends after it
-- began.
UPDATE lockscope_lock_entry SET expires_at = max(CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER) + ?3, acquired_at + 1)
WHERE name = ?1 AND token = ?2 RETURNING expires_at
