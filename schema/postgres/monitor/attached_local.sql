-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A lock table that was there before us; its time column holds the server's local time.
-- Only times of the years 1 to 9999 are given: others (infinity, times before Christ) would fail the whole statement.
-- As JSON, a time looks the same whatever the session's DateStyle is.
SELECT
    {name}::text,
    CASE WHEN (to_jsonb({time}) #>> '{}') ~ '^[0-9]{4}-' AND (to_jsonb({time}) #>> '{}') !~ 'BC$' THEN (extract(epoch FROM {time}::timestamptz) * 1000000)::bigint END,
    {time}::text
FROM {table}
ORDER BY 1;
