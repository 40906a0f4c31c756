-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The latest acts, newest first. @P1: how many.
SELECT TOP (@P1)
    id,
    DATEDIFF_BIG(MICROSECOND, '19700101', at),
    who,
    origin,
    act,
    target,
    reason,
    [before],
    outcome
FROM lockscope.audit_log
ORDER BY id DESC;
