-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The latest acts, newest first. $1: how many.
SELECT
    id,
    (extract(epoch FROM at) * 1000000)::bigint,
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
