-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What a connection asks and sets when it begins, and its transactions.

-- name: new_file
-- In a file that we make, readers don't block the writer (WAL). The mode stays with the file.
PRAGMA journal_mode = WAL;

-- name: lock
-- A commit survives a power failure, so that no fencing number comes twice. The journal mode is the file's owner's
-- business.
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;

-- name: monitor
-- A monitor changes nothing, not even the journal mode.
PRAGMA query_only = ON;

-- name: durable
-- From here on a commit survives a power failure again.
PRAGMA synchronous = FULL;

-- name: hurried
-- What comes next need not survive a power failure: a waiter's sign of life. With a write-ahead log the file stays whole.
PRAGMA synchronous = NORMAL;

-- name: journal_mode
-- How the file keeps its transactions whole.
PRAGMA journal_mode;

-- name: begin_reading
BEGIN;

-- name: commit
COMMIT;

-- name: rollback
ROLLBACK;

-- name: library
-- Which SQLite runs this.
SELECT sqlite_source_id();

-- name: begin
-- The linter does not know BEGIN IMMEDIATE. -- noqa: disable=PRS
-- Takes the write lock at once: a transaction that reads first could not always become a writer later.
BEGIN IMMEDIATE;
