-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Deletes exactly the row that was shown, if it is still stale. ?1 name, ?2 fencing number (0: none that is a number).
-- Tables of version 1 hold anything: a name that is no text was shown as its bytes, X'…'.
DELETE FROM lockscope_lock_entry
WHERE (name = ?1 OR 'X''' || hex(name) || '''' = ?1)
    AND CASE typeof(fencing) WHEN 'integer' THEN fencing ELSE 0 END = ?2
    AND expires_at <= CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000
RETURNING json_object(
    'name', CASE typeof(name) WHEN 'text' THEN name ELSE quote(name) END,
    'fencing', CASE typeof(fencing) WHEN 'integer' THEN fencing ELSE quote(fencing) END,
    'acquired_at', CASE typeof(acquired_at) WHEN 'integer' THEN acquired_at ELSE quote(acquired_at) END,
    'expires_at', CASE typeof(expires_at) WHEN 'integer' THEN expires_at ELSE quote(expires_at) END,
    'owner', CASE typeof(owner) WHEN 'text' THEN owner ELSE quote(owner) END,
    'host', CASE typeof(host) WHEN 'text' THEN host ELSE quote(host) END,
    'program', CASE typeof(program) WHEN 'text' THEN program ELSE quote(program) END,
    'process_id', CASE typeof(process_id) WHEN 'integer' THEN process_id ELSE quote(process_id) END
);
