-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Who gets the name next? $1 name.
SELECT
    owner,
    host
FROM lockscope.live_waiter
WHERE name = $1
ORDER BY ticket
LIMIT 1;
