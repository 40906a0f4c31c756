-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A lock table that was there before us; its time column holds the server's local time. The text of the time is exact:
-- style 121 gives all digits that the column has. Times at the very ends of the calendar, which their zone would carry
-- beyond it, give NULL.
SELECT
    CAST({name} AS nvarchar(4000)),
    CASE
        WHEN CAST({time} AS datetime2) BETWEEN '00010102' AND '99991231'
            THEN DATEDIFF_BIG(
                MICROSECOND,
                '19700101',
                DATEADD(MINUTE, -DATEPART(TZOFFSET, SYSDATETIMEOFFSET()), CAST({time} AS datetime2)))
    END,
    CONVERT(nvarchar(40), {time}, 121)
FROM {table}
ORDER BY 1;
