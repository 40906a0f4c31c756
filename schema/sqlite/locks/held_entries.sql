-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Which of our grants (a JSON array of id, name, token) still have their row, and until when.
SELECT json_extract(g.value, '$.id'), e.expires_at
FROM json_each(?1) AS g
JOIN lockscope_lock_entry AS e
    ON e.name = json_extract(g.value, '$.name') AND e.token = json_extract(g.value, '$.token')
