-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Deletes exactly the row that was shown: a fencing number is drawn once. Its trigger wakes the first waiter. $1 name,
-- $2 fencing number.
DELETE FROM lockscope.lock_entry AS e
WHERE e.name = $1 AND e.fencing = $2::bigint
RETURNING (to_jsonb(e) - 'token')::text;
