-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Waits for an application lock, $2 ms at most ('0' = for ever): 0 = granted at once, 1 = after waiting.
-- lock_timeout is set for this transaction only and put back, so that it ends with this statement, whatever happens.
/* wait for an application lock */ SELECT CASE
    WHEN {try}(a.key) THEN 0
    WHEN set_config('lock_timeout', $2, true) IS NULL THEN NULL
    WHEN {lock}(a.key) IS NULL THEN NULL
    WHEN set_config('lock_timeout', a.timeout_before, true) IS NULL THEN NULL
    ELSE 1
END
FROM (
    SELECT hashtextextended($1, 0) AS key, current_setting('lock_timeout') AS timeout_before
    OFFSET 0
) AS a
