-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A lock table that was there before us; its time column holds the server's local time.
SELECT
    {name}::text,
    (extract(epoch FROM {time}::timestamptz) * 1000000)::bigint,
    {time}::text
FROM {table}
ORDER BY 1;
