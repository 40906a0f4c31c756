-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A lock table that was there before us; its time column holds UTC: text as SQLite's date functions read it, or seconds
-- since 1970.
SELECT
    CAST({name} AS TEXT),
    CASE typeof({time})
        WHEN 'integer' THEN {time} * 1000000
        ELSE CAST(round((julianday({time}) - 2440587.5) * 86400000.0) AS INTEGER) * 1000
    END,
    CAST({time} AS TEXT)
FROM {table}
ORDER BY 1;
