-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The latest acts, newest first. ?1: how many.
SELECT
    id,
    at,
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
