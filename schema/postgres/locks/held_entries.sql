-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Which of our grants (a JSON array of id, name, token) still have their row, and until when.
SELECT g.id, (extract(epoch FROM e.expires_at) * 1000000)::bigint
FROM jsonb_to_recordset($1::text::jsonb) AS g(id bigint, name text, token text)
JOIN lockscope.lock_entry AS e ON e.name = g.name AND e.token = g.token
