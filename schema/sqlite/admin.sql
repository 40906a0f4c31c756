-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Acts on sessions and entries, and their audit.

-- name: entry_now
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

-- name: next_waiter
-- Who gets the name next? ?1 name.
SELECT
    owner,
    host
FROM lockscope_lock_waiter
WHERE name = ?1 AND expires_at > CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000
ORDER BY ticket
LIMIT 1;

-- name: release_entry
-- Deletes exactly the row that was shown. ?1 name, ?2 fencing number (0: none that is a number).
-- Tables of version 1 hold anything: a name that is no text was shown as its bytes, X'…'.
DELETE FROM lockscope_lock_entry
WHERE (name = ?1 OR 'X''' || hex(name) || '''' = ?1) AND CASE typeof(fencing) WHEN 'integer' THEN fencing ELSE 0 END = ?2
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

-- name: purge_entry
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

-- name: table_rights
-- Can rows of that table be freed? There are no roles. ?1 schema (none here), ?2 table, ?3 the table, quoted, ?4 how:
-- DELETE or UPDATE. Role, may it, can anybody (from a view only by a trigger); nothing if there is no such table.
SELECT
    '',
    1,
    t.type = 'table'
    OR EXISTS (
        SELECT 1
        FROM sqlite_master AS r
        WHERE r.type = 'trigger' AND r.tbl_name = t.name AND r.sql LIKE '%INSTEAD OF ' || ?4 || '%'
    )
FROM sqlite_master AS t
WHERE t.type IN ('table', 'view') AND lower(t.name) = lower(?2) AND ?1 IS NOT NULL AND ?3 IS NOT NULL
LIMIT 1;

-- name: audit_table
-- Is the audit table there?
SELECT 1
FROM sqlite_master
WHERE type = 'table' AND name = 'lockscope_audit_log';

-- name: audit_write
-- Records an act. ?1 account, ?2 host and program, ?3 act, ?4 target, ?5 reason, ?6 state before as JSON, ?7 outcome.
INSERT INTO lockscope_audit_log (at, who, origin, act, target, reason, "before", outcome)
VALUES (CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000, ?1, ?2, ?3, ?4, ?5, ?6, ?7)
RETURNING id;

-- name: audit_outcome
-- How an act ended that this transaction has recorded. ?1 its id, ?2 state before as JSON (null: as it was recorded),
-- ?3 outcome.
UPDATE lockscope_audit_log SET outcome = ?3, "before" = coalesce(?2, "before")
WHERE id = ?1
RETURNING 1;

-- name: audit_read
-- The latest acts, newest first. ?1: how many. A time that is no number reads as none.
SELECT
    id,
    CASE typeof(at) WHEN 'integer' THEN max(min(at, 253402300799999999), -62135596800000000) END,
    who,
    origin,
    act,
    target,
    reason,
    "before",
    outcome
FROM lockscope_audit_log
ORDER BY id DESC
LIMIT ?1;
