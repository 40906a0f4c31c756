-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A lock table that was there before us; its time column holds UTC.
-- AT TIME ZONE makes a zoned time of a plain one and the reverse: either way the epoch comes out right.
SELECT
    {name}::text,
    (extract(epoch FROM {time} AT TIME ZONE 'UTC') * 1000000)::bigint,
    {time}::text
FROM {table}
ORDER BY 1;
