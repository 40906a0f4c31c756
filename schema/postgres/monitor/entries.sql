-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The lock table: every row is a lock. Of its token no more is shown than tells two apart.
-- A time that no number of microseconds can tell (infinity, times before Christ) would fail the whole statement: the
-- nearest of the years 1 to 9999 is given instead, and at the end of the row what is stored.
-- A table of a former version has no token_start: the name then means that of the row beside it.
SELECT entry.*
FROM (VALUES (''::text)) AS former (token_start)
CROSS JOIN LATERAL (
SELECT
    name,
    token_start,
    fencing,
    (extract(epoch FROM least(greatest(acquired_at, '0001-01-01 00:00:00+00'), '9999-12-31 23:59:59.999999+00')) * 1000000)::bigint,
    (extract(epoch FROM least(greatest(expires_at, '0001-01-01 00:00:00+00'), '9999-12-31 23:59:59.999999+00')) * 1000000)::bigint,
    left(owner, 1000),
    left(host, 1000),
    left(program, 1000),
    process_id,
    session_id,
    CASE WHEN acquired_at < '0001-01-01 00:00:00+00' OR acquired_at > '9999-12-31 23:59:59.999999+00' THEN acquired_at::text END,
    CASE WHEN expires_at < '0001-01-01 00:00:00+00' OR expires_at > '9999-12-31 23:59:59.999999+00' THEN expires_at::text END
FROM lockscope.lock_entry
) AS entry
ORDER BY entry.name;
