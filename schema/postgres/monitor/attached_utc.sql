-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A lock table that was there before us; its time column holds UTC.
-- AT TIME ZONE makes a zoned time of a plain one and the reverse: either way the epoch comes out right.
-- Only times of the years 1 to 9999 are given: others (infinity, times before Christ) would fail the whole statement.
-- As JSON, a time looks the same whatever the session's DateStyle is.
SELECT
    {name}::text,
    CASE WHEN (to_jsonb({time}) #>> '{}') ~ '^[0-9]{4}-' AND (to_jsonb({time}) #>> '{}') !~ 'BC$' THEN (extract(epoch FROM {time} AT TIME ZONE 'UTC') * 1000000)::bigint END,
    {time}::text
FROM {table}
ORDER BY 1;
