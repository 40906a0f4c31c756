-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Who has the name now? ?1 name.
SELECT
    owner,
    host,
    json_object(
    'name', name, 'token', token, 'fencing', fencing, 'acquired_at', acquired_at, 'expires_at', expires_at,
    'owner', owner, 'host', host, 'program', program, 'process_id', process_id
)
FROM lockscope_lock_entry
WHERE name = ?1;
