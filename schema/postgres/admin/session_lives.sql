-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Is exactly this session still there? $1 process id, $2 its start in microseconds.
SELECT 1
FROM pg_catalog.pg_stat_activity
WHERE pid = $1::bigint AND (extract(epoch FROM backend_start) * 1000000)::bigint = $2::bigint;
