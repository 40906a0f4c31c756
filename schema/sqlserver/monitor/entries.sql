-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The lock table: every row is a lock. Of its token no more is shown than tells two apart.
SELECT
    name,
    token_start,
    fencing,
    DATEDIFF_BIG(MICROSECOND, '19700101', acquired_at),
    DATEDIFF_BIG(MICROSECOND, '19700101', expires_at),
    owner,
    host,
    program,
    process_id,
    CAST(session_id AS bigint)
FROM lockscope.lock_entry
ORDER BY name;
