-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Which of our grants (a JSON array of id, name, token) still have their row, and until when. A grant of before a failover
-- counts as lost: see install.sql.
SELECT
    g.id,
    (extract(epoch FROM e.expires_at) * 1000000)::bigint
FROM jsonb_to_recordset($1::text::jsonb) AS g (id bigint, name text, token text)
INNER JOIN lockscope.lock_entry AS e ON g.name = e.name AND g.token = e.token
WHERE e.fencing >= lockscope.current_epoch() * 1099511627776
