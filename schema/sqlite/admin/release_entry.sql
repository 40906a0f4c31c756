-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Deletes exactly the row that was shown. ?1 name, ?2 fencing number.
DELETE FROM lockscope_lock_entry
WHERE name = ?1 AND fencing = ?2
RETURNING json_object(
    'name', name, 'fencing', fencing, 'acquired_at', acquired_at, 'expires_at', expires_at,
    'owner', owner, 'host', host, 'program', program, 'process_id', process_id
);
