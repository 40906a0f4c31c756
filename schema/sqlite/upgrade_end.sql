-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The entries of version 1. No lock gets lost: a value that version 2 refuses is put right so that the lock holds as long
-- as it did; what was compared as later than any time now ends in the year 9999. Rows whose name can't be a lock's name
-- go to lockscope_bad_row, with all that they held.
CREATE TABLE IF NOT EXISTS lockscope_bad_row (
    moved_at INTEGER NOT NULL DEFAULT (CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER)),
    content TEXT NOT NULL
);

INSERT INTO lockscope_bad_row (content)
SELECT quote(name) || ', ' || quote(token) || ', ' || quote(fencing) || ', ' || quote(acquired_at) || ', '
    || quote(expires_at) || ', ' || quote(owner) || ', ' || quote(host) || ', ' || quote(program) || ', '
    || quote(process_id)
FROM lockscope_old_entry
WHERE NOT (typeof(name) = 'text' AND length(name) BETWEEN 1 AND 255 AND instr(name, char(0)) = 0) OR name IS NULL;

INSERT INTO lockscope_lock_entry (name, token, acquired_at, expires_at, owner, host, program, process_id)
SELECT
    name,
    CASE WHEN typeof(token) = 'text' AND length(token) BETWEEN 1 AND 255 AND instr(token, char(0)) = 0 THEN token ELSE 'X''' || substr(hex(token), 1, 250) || '''' END,
    min(max(min(CASE typeof(acquired_at) WHEN 'integer' THEN acquired_at WHEN 'real' THEN CAST(acquired_at AS INTEGER) ELSE 0 END, 253402300799999999), 0), max(min(CASE typeof(expires_at) WHEN 'integer' THEN expires_at WHEN 'real' THEN CAST(expires_at AS INTEGER) ELSE 253402300799999999 END, 253402300799999999), 1) - 1),
    max(min(CASE typeof(expires_at) WHEN 'integer' THEN expires_at WHEN 'real' THEN CAST(expires_at AS INTEGER) ELSE 253402300799999999 END, 253402300799999999), 1),
    CASE typeof(owner) WHEN 'text' THEN owner ELSE quote(owner) END,
    CASE typeof(host) WHEN 'text' THEN host ELSE quote(host) END,
    CASE typeof(program) WHEN 'text' THEN program ELSE quote(program) END,
    CASE typeof(process_id) WHEN 'integer' THEN process_id ELSE 0 END
FROM lockscope_old_entry
WHERE typeof(name) = 'text' AND length(name) BETWEEN 1 AND 255 AND instr(name, char(0)) = 0;

-- Holders know their fencing numbers: they keep them, and all later ones are greater.
UPDATE lockscope_lock_entry SET fencing = o.fencing
FROM lockscope_old_entry AS o
WHERE o.name = lockscope_lock_entry.name AND typeof(o.fencing) = 'integer' AND o.fencing < 4611686018427387904;

UPDATE lockscope_fencing
SET last = max(last, coalesce((SELECT max(fencing) FROM lockscope_lock_entry), 0));

DROP TABLE lockscope_old_entry;
