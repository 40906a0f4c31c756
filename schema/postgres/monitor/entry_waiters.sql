-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The visible queue of the lock table, in its order.
-- A time that no number of microseconds can tell (infinity, times before Christ) would fail the whole statement: the
-- nearest of the years 1 to 9999 is given instead, and at the end of the row what is stored.
SELECT
    name,
    ticket,
    (extract(epoch FROM least(greatest(registered_at, '0001-01-01 00:00:00+00'), '9999-12-31 23:59:59.999999+00')) * 1000000)::bigint,
    (extract(epoch FROM least(greatest(expires_at, '0001-01-01 00:00:00+00'), '9999-12-31 23:59:59.999999+00')) * 1000000)::bigint,
    left(owner, 1000),
    left(host, 1000),
    left(program, 1000),
    process_id,
    session_id,
    CASE WHEN registered_at < '0001-01-01 00:00:00+00' OR registered_at > '9999-12-31 23:59:59.999999+00' THEN registered_at::text END,
    CASE WHEN expires_at < '0001-01-01 00:00:00+00' OR expires_at > '9999-12-31 23:59:59.999999+00' THEN expires_at::text END
FROM lockscope.lock_waiter
ORDER BY name, ticket;
