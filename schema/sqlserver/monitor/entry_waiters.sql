-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The visible queue of the lock table, in its order.
SELECT
    name,
    ticket,
    DATEDIFF_BIG(MICROSECOND, '19700101', registered_at),
    DATEDIFF_BIG(MICROSECOND, '19700101', expires_at),
    owner,
    host,
    program,
    process_id,
    CAST(session_id AS bigint)
FROM lockscope.lock_waiter
ORDER BY name, ticket;
