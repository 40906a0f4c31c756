-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The visible queue of the lock table, in its order.
SELECT
    name,
    ticket,
    (extract(epoch FROM registered_at) * 1000000)::bigint,
    (extract(epoch FROM expires_at) * 1000000)::bigint,
    owner,
    host,
    program,
    process_id,
    session_id
FROM lockscope.lock_waiter
ORDER BY name, ticket;
