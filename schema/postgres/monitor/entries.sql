-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The lock table: every row is a lock.
SELECT
    name,
    token,
    fencing,
    (extract(epoch FROM acquired_at) * 1000000)::bigint,
    (extract(epoch FROM expires_at) * 1000000)::bigint,
    owner,
    host,
    program,
    process_id,
    session_id
FROM lockscope.lock_entry
ORDER BY name;
