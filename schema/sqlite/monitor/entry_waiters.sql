-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The visible queue of the lock table, in its order.
SELECT
    name,
    ticket,
    registered_at,
    expires_at,
    owner,
    host,
    program,
    process_id,
    0
FROM lockscope_lock_waiter
ORDER BY name, ticket;
