-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The latest acts, newest first. ?1: how many. A time that is no number reads as none.
SELECT
    id,
    CASE typeof(at) WHEN 'integer' THEN max(min(at, 253402300799999999), -62135596800000000) END,
    who,
    origin,
    act,
    target,
    reason,
    "before",
    outcome
FROM lockscope_audit_log
ORDER BY id DESC
LIMIT ?1;
