-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Lockscope's tables in an SQLite file, version 1. Idempotent. Times are microseconds since 1970-01-01 UTC by the
-- clock of the machine that has the file.
CREATE TABLE IF NOT EXISTS lockscope_schema_version (
    version INTEGER PRIMARY KEY,
    installed_at INTEGER NOT NULL
);

-- The last fencing number given out; one row.
CREATE TABLE IF NOT EXISTS lockscope_fencing (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    last INTEGER NOT NULL CHECK (typeof(last) = 'integer')
);

INSERT OR IGNORE INTO lockscope_fencing (one, last) VALUES (1, 0);

-- A row is a lock. Acquire = insert; a unique violation means that somebody else has it. Release = delete with the token.
-- SQLite would take any value in any column: the checks let in none that isn't a lock.
CREATE TABLE IF NOT EXISTS lockscope_lock_entry (
    name TEXT NOT NULL PRIMARY KEY CHECK (typeof(name) = 'text' AND length(name) BETWEEN 1 AND 255 AND instr(name, char(0)) = 0),
    token TEXT NOT NULL CHECK (typeof(token) = 'text' AND length(token) BETWEEN 1 AND 255 AND instr(token, char(0)) = 0),
    fencing INTEGER NOT NULL DEFAULT 0 CHECK (typeof(fencing) = 'integer'),
    acquired_at INTEGER NOT NULL DEFAULT (CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER))
        CHECK (typeof(acquired_at) = 'integer' AND acquired_at BETWEEN 0 AND 253402300799999999),
    expires_at INTEGER NOT NULL
        CHECK (typeof(expires_at) = 'integer' AND expires_at > acquired_at AND expires_at <= 253402300799999999),
    owner TEXT NOT NULL DEFAULT '' CHECK (typeof(owner) = 'text'),
    host TEXT NOT NULL DEFAULT '' CHECK (typeof(host) = 'text'),
    program TEXT NOT NULL DEFAULT '' CHECK (typeof(program) = 'text'),
    process_id INTEGER NOT NULL DEFAULT 0 CHECK (typeof(process_id) = 'integer')
);

-- The visible queue: who waits for a name, since when, in the order of the tickets, and with which token it will take it. A
-- ticket counts for that token only. A waiter renews its row while it waits: it lasts 2 s.
CREATE TABLE IF NOT EXISTS lockscope_lock_waiter (
    ticket INTEGER PRIMARY KEY AUTOINCREMENT CHECK (ticket > 0),
    name TEXT NOT NULL CHECK (typeof(name) = 'text' AND length(name) BETWEEN 1 AND 255 AND instr(name, char(0)) = 0),
    token TEXT NOT NULL CHECK (typeof(token) = 'text' AND length(token) BETWEEN 1 AND 255 AND instr(token, char(0)) = 0),
    registered_at INTEGER NOT NULL DEFAULT (CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER))
        CHECK (typeof(registered_at) = 'integer' AND registered_at BETWEEN 0 AND 253402300799999999),
    expires_at INTEGER NOT NULL
        CHECK (typeof(expires_at) = 'integer' AND expires_at BETWEEN 0 AND 253402300799999999),
    owner TEXT NOT NULL DEFAULT '' CHECK (typeof(owner) = 'text'),
    host TEXT NOT NULL DEFAULT '' CHECK (typeof(host) = 'text'),
    program TEXT NOT NULL DEFAULT '' CHECK (typeof(program) = 'text'),
    process_id INTEGER NOT NULL DEFAULT 0 CHECK (typeof(process_id) = 'integer')
);

CREATE INDEX IF NOT EXISTS lockscope_lock_waiter_queue ON lockscope_lock_waiter (name, ticket);

-- By whichever program a row is inserted: nobody overtakes a live waiter. A newcomer has no row in the queue.
CREATE TRIGGER IF NOT EXISTS lockscope_entry_insert BEFORE INSERT ON lockscope_lock_entry
BEGIN
    SELECT RAISE(ABORT, 'Somebody waits for this lock name already: join lockscope_lock_waiter')
    WHERE EXISTS (
        SELECT 1 FROM lockscope_lock_waiter AS w
        WHERE w.name = NEW.name AND w.token <> NEW.token AND w.expires_at > CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER)
            AND w.ticket < coalesce(
                (SELECT min(m.ticket) FROM lockscope_lock_waiter AS m WHERE m.name = NEW.name AND m.token = NEW.token),
                9223372036854775807));
END;

-- A stale row may also be taken over by an update.
CREATE TRIGGER IF NOT EXISTS lockscope_entry_take_over BEFORE UPDATE OF token ON lockscope_lock_entry
WHEN NEW.token <> OLD.token
BEGIN
    SELECT RAISE(ABORT, 'Somebody waits for this lock name already: join lockscope_lock_waiter')
    WHERE EXISTS (
        SELECT 1 FROM lockscope_lock_waiter AS w
        WHERE w.name = NEW.name AND w.token <> NEW.token AND w.expires_at > CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER)
            AND w.ticket < coalesce(
                (SELECT min(m.ticket) FROM lockscope_lock_waiter AS m WHERE m.name = NEW.name AND m.token = NEW.token),
                9223372036854775807));
END;

-- Fencing numbers grow with every grant: whatever the statement says, the row gets the next one.
CREATE TRIGGER IF NOT EXISTS lockscope_entry_inserted AFTER INSERT ON lockscope_lock_entry
BEGIN
    UPDATE lockscope_fencing SET last = last + 1;
    UPDATE lockscope_lock_entry SET fencing = (SELECT last FROM lockscope_fencing) WHERE name = NEW.name;
END;

CREATE TRIGGER IF NOT EXISTS lockscope_entry_taken_over AFTER UPDATE OF token ON lockscope_lock_entry
WHEN NEW.token <> OLD.token
BEGIN
    UPDATE lockscope_fencing SET last = last + 1;
    UPDATE lockscope_lock_entry SET fencing = (SELECT last FROM lockscope_fencing) WHERE name = NEW.name;
END;

-- A crashed waiter must not block others for long.
CREATE TRIGGER IF NOT EXISTS lockscope_waiter_insert BEFORE INSERT ON lockscope_lock_waiter
WHEN NEW.expires_at > CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER) + 60000000
BEGIN
    SELECT RAISE(ABORT, 'A place in the queue lasts at most a minute: renew it');
END;

CREATE TRIGGER IF NOT EXISTS lockscope_waiter_renew BEFORE UPDATE OF expires_at ON lockscope_lock_waiter
WHEN NEW.expires_at > CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER) + 60000000
BEGIN
    SELECT RAISE(ABORT, 'A place in the queue lasts at most a minute: renew it');
END;

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

-- But for how an act ended that was recorded before it was done.
CREATE TRIGGER IF NOT EXISTS lockscope_audit_stays BEFORE UPDATE ON lockscope_audit_log
WHEN OLD.outcome <> 'begun' OR NEW.id <> OLD.id OR NEW.at <> OLD.at OR NEW.who <> OLD.who OR NEW.origin <> OLD.origin
    OR NEW.act <> OLD.act OR NEW.target <> OLD.target OR NEW.reason <> OLD.reason
BEGIN
    SELECT RAISE(ABORT, 'What is recorded stays as it was recorded');
END;

INSERT OR IGNORE INTO lockscope_schema_version (version, installed_at)
VALUES (1, CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER));
