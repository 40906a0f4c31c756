-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A lock table that was there before us; its time column holds UTC: text as SQLite's date functions read it, or seconds
-- since 1970.
-- What is no time of the years 1 to 9999 gives NULL; so does a word that the date functions know, such as 'now'.
SELECT
    CAST({name} AS TEXT),
    CASE
        WHEN typeof({time}) = 'integer'
            THEN CASE WHEN {time} BETWEEN -62135596800 AND 253402300799 THEN {time} * 1000000 END
        WHEN typeof({time}) = 'real' OR {time} GLOB '[0-9]*'
            THEN CAST(round((julianday({time}) - 2440587.5) * 86400000.0) AS INTEGER) * 1000
    END,
    CAST({time} AS TEXT)
FROM {table}
ORDER BY 1;
