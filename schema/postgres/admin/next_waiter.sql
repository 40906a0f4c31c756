-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Who gets the name next? $1 name.
SELECT
    owner,
    host
FROM lockscope.lock_waiter
WHERE name = $1 AND expires_at > clock_timestamp()
ORDER BY ticket
LIMIT 1;
