-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The rows of a lock table that was there before us, if a value in its time column is none: no time is made of any.
SELECT
    CAST({name} AS nvarchar(4000)),
    CAST(NULL AS bigint),
    CONVERT(nvarchar(40), {time}, 121)
FROM {table}
ORDER BY 1;
