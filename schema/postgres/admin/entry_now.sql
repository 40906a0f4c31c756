-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Who has the name now? $1 name.
SELECT
    owner,
    host,
    (to_jsonb(e) - 'token')::text
FROM lockscope.lock_entry AS e
WHERE e.name = $1;
