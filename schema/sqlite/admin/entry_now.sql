-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Who has the name now? ?1 name.
-- Tables of version 1 hold anything: a name or token that is no text was shown as its bytes, X'…'.
SELECT
    owner,
    host,
    json_object(
    'name', CASE typeof(name) WHEN 'text' THEN name ELSE quote(name) END,
    'token', CASE typeof(token) WHEN 'text' THEN token ELSE quote(token) END,
    'fencing', CASE typeof(fencing) WHEN 'integer' THEN fencing ELSE quote(fencing) END,
    'acquired_at', CASE typeof(acquired_at) WHEN 'integer' THEN acquired_at ELSE quote(acquired_at) END,
    'expires_at', CASE typeof(expires_at) WHEN 'integer' THEN expires_at ELSE quote(expires_at) END,
    'owner', CASE typeof(owner) WHEN 'text' THEN owner ELSE quote(owner) END,
    'host', CASE typeof(host) WHEN 'text' THEN host ELSE quote(host) END,
    'program', CASE typeof(program) WHEN 'text' THEN program ELSE quote(program) END,
    'process_id', CASE typeof(process_id) WHEN 'integer' THEN process_id ELSE quote(process_id) END
)
FROM lockscope_lock_entry
WHERE (name = ?1 OR 'X''' || hex(name) || '''' = ?1);
