-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Which of our sessions (a JSON array of id, pid, started) are still there. A session id alone may have been reused.
SELECT s.id
FROM jsonb_to_recordset($1::text::jsonb) AS s(id bigint, pid integer, started bigint)
JOIN pg_stat_activity AS a
    ON a.pid = s.pid AND coalesce((extract(epoch FROM a.backend_start) * 1000000)::bigint, s.started) = s.started
