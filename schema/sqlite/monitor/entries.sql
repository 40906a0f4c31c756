-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The lock table: every row is a lock.
SELECT
    name,
    token,
    fencing,
    acquired_at,
    expires_at,
    owner,
    host,
    program,
    process_id,
    0
FROM lockscope_lock_entry
ORDER BY name;
