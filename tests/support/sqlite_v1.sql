-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Lockscope's tables in an SQLite file as version 1 made them. Idempotent. Times are microseconds since 1970-01-01 UTC by the
-- clock of the machine that has the file.
CREATE TABLE IF NOT EXISTS lockscope_schema_version (
    version INTEGER PRIMARY KEY,
    installed_at INTEGER NOT NULL
);

-- The last fencing number given out; one row.
CREATE TABLE IF NOT EXISTS lockscope_fencing (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    last INTEGER NOT NULL
);

INSERT OR IGNORE INTO lockscope_fencing (one, last) VALUES (1, 0);

-- A row is a lock. Acquire = insert; a unique violation means that somebody else has it. Release = delete with the token.
CREATE TABLE IF NOT EXISTS lockscope_lock_entry (
    name TEXT PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 255),
    token TEXT NOT NULL,
    fencing INTEGER NOT NULL,
    acquired_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    owner TEXT NOT NULL DEFAULT '',
    host TEXT NOT NULL DEFAULT '',
    program TEXT NOT NULL DEFAULT '',
    process_id INTEGER NOT NULL DEFAULT 0
);

-- The visible queue: who wants a name, since when, in the order of the tickets.
CREATE TABLE IF NOT EXISTS lockscope_lock_waiter (
    ticket INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    registered_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    owner TEXT NOT NULL DEFAULT '',
    host TEXT NOT NULL DEFAULT '',
    program TEXT NOT NULL DEFAULT '',
    process_id INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX IF NOT EXISTS lockscope_lock_waiter_queue ON lockscope_lock_waiter (name, ticket);

-- Every dangerous act: who, from where, what, why, the state before, the outcome.
CREATE TABLE IF NOT EXISTS lockscope_audit_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    who TEXT NOT NULL,
    origin TEXT NOT NULL,
    act TEXT NOT NULL,
    target TEXT NOT NULL,
    reason TEXT NOT NULL,
    "before" TEXT NOT NULL,
    outcome TEXT NOT NULL
);

INSERT OR IGNORE INTO lockscope_schema_version (version, installed_at)
VALUES (1, CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER));
