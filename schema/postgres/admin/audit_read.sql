-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The latest acts, newest first. $1: how many. A time beyond the years 1 to 9999 would fail the whole statement.
SELECT
    id,
    (extract(epoch FROM least(greatest(at, '0001-01-01 00:00:00+00'), '9999-12-31 23:59:59.999999+00')) * 1000000)::bigint,
    who,
    origin,
    act,
    target,
    reason,
    before::text,
    outcome
FROM lockscope.audit_log
ORDER BY id DESC
LIMIT $1::bigint;
