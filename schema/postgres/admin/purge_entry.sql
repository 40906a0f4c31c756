-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Deletes exactly the row that was shown, if it is still stale. $1 name, $2 fencing number.
DELETE FROM lockscope.lock_entry AS e
WHERE e.name = $1 AND e.fencing = $2::bigint AND e.expires_at <= clock_timestamp()
RETURNING (to_jsonb(e) - 'token')::text;
