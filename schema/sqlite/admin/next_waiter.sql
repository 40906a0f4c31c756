-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Who gets the name next? ?1 name.
SELECT
    owner,
    host
FROM lockscope_lock_waiter
WHERE name = ?1 AND expires_at > CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000
ORDER BY ticket
LIMIT 1;
