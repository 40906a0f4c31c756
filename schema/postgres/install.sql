-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Lockscope's own schema, version 1. Idempotent: run it as often as you like.
-- Times are the server's clock. Any program may use these tables; see README, "Locks from any language".
CREATE SCHEMA IF NOT EXISTS lockscope;

CREATE TABLE IF NOT EXISTS lockscope.schema_version (
    version integer PRIMARY KEY,
    installed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Grows with every grant, so that a protected resource can refuse the late write of a former holder.
CREATE SEQUENCE IF NOT EXISTS lockscope.fencing;

-- A row is a lock. Acquire = insert; a unique violation means that somebody else has it. Release = delete with the token.
CREATE TABLE IF NOT EXISTS lockscope.lock_entry (
    name text COLLATE "C" PRIMARY KEY CHECK (char_length(name) BETWEEN 1 AND 255),
    token text NOT NULL,
    fencing bigint NOT NULL DEFAULT nextval('lockscope.fencing'),
    acquired_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL,
    owner text NOT NULL DEFAULT session_user,
    host text NOT NULL DEFAULT '',
    program text NOT NULL DEFAULT '',
    process_id bigint NOT NULL DEFAULT 0,
    session_id integer NOT NULL DEFAULT pg_backend_pid()
);

-- The visible queue: who wants a name, since when, in the order of the tickets. A waiter renews its row while it waits.
CREATE TABLE IF NOT EXISTS lockscope.lock_waiter (
    ticket bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text COLLATE "C" NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
    registered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL,
    owner text NOT NULL DEFAULT session_user,
    host text NOT NULL DEFAULT '',
    program text NOT NULL DEFAULT '',
    process_id bigint NOT NULL DEFAULT 0,
    session_id integer NOT NULL DEFAULT pg_backend_pid()
);

CREATE INDEX IF NOT EXISTS lock_waiter_queue ON lockscope.lock_waiter (name, ticket);

-- Advisory locks are numbers; this keeps the names readable: key = hashtextextended(name, 0).
CREATE TABLE IF NOT EXISTS lockscope.app_lock_name (
    key bigint PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    first_used_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Every dangerous act: who, from where, what, why, the state before, the outcome.
CREATE TABLE IF NOT EXISTS lockscope.audit_log (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    who text NOT NULL,
    origin text NOT NULL,
    act text NOT NULL,
    target text NOT NULL,
    reason text NOT NULL,
    before jsonb NOT NULL,
    outcome text NOT NULL
);

INSERT INTO lockscope.schema_version (version) VALUES (1) ON CONFLICT DO NOTHING;
