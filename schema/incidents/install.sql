-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The alerts of Lockscope: one file of an account, beside its recordings. Any program that opens SQLite files may
-- read it. Times are microseconds since 1970 in UTC, by the clock of the machine that wrote; those within a body are the server's.
PRAGMA application_id = 0x4c6b7369; -- "Lksi"
CREATE TABLE incident (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    fingerprint TEXT NOT NULL, -- of its cause
    head TEXT NOT NULL, -- the same without the resource
    server TEXT NOT NULL,
    is_firing INTEGER NOT NULL,
    is_critical INTEGER NOT NULL,
    fired_us INTEGER NOT NULL,
    resolved_us INTEGER, -- NULL: it goes on
    seen_us INTEGER NOT NULL, -- when its watcher wrote last
    acknowledged_by TEXT NOT NULL DEFAULT '',
    acknowledged_why TEXT NOT NULL DEFAULT '',
    body TEXT NOT NULL -- JSON: resources/alerts/incident.schema.json
);
CREATE UNIQUE INDEX incident_firing ON incident (fingerprint) WHERE is_firing = 1;
CREATE INDEX incident_head ON incident (head);
CREATE INDEX incident_resolved ON incident (resolved_us);
CREATE TABLE step (
    id INTEGER PRIMARY KEY,
    incident INTEGER NOT NULL,
    at_us INTEGER NOT NULL,
    what TEXT NOT NULL
);
CREATE INDEX step_incident ON step (incident);
CREATE TABLE mute (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL, -- fingerprint, family, rule, server, program
    value TEXT NOT NULL,
    shown TEXT NOT NULL,
    end_kind INTEGER NOT NULL, -- 0 at a time, 1 when cleared, 2 never
    until_us INTEGER NOT NULL,
    max_waiting INTEGER,
    max_wait_ms INTEGER,
    why TEXT NOT NULL,
    made_by TEXT NOT NULL,
    made_us INTEGER NOT NULL,
    ended_us INTEGER, -- NULL: it is in force, or has expired
    ended_why TEXT NOT NULL DEFAULT ''
);
-- Notices that wait to be sent, by channel in the order of their numbers.
CREATE TABLE queued (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    channel TEXT NOT NULL,
    incident INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    next_try_us INTEGER NOT NULL DEFAULT 0,
    last_error TEXT NOT NULL DEFAULT '',
    refused_since_us INTEGER NOT NULL DEFAULT 0, -- the receiver was reached then, and failed on it; 0: never
    claimed_by TEXT NOT NULL DEFAULT '', -- equal in those that are sent as one message: the program and the first's number
    claimed_until_us INTEGER NOT NULL DEFAULT 0, -- after that another one may
    body TEXT NOT NULL
);
CREATE INDEX queued_channel ON queued (channel, number);
CREATE TABLE channel (
    name TEXT PRIMARY KEY,
    dropped INTEGER NOT NULL DEFAULT 0, -- notices that were given up, until one is sent an hour after the last of them
    dropped_us INTEGER NOT NULL DEFAULT 0, -- the last of them
    dropped_why TEXT NOT NULL DEFAULT '',
    last_sent_us INTEGER NOT NULL DEFAULT 0,
    failing_since_us INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE family (
    server TEXT NOT NULL,
    family TEXT NOT NULL,
    first_us INTEGER NOT NULL,
    PRIMARY KEY (server, family)
);
-- What a person has marked as cured, the latest mark of each family.
CREATE TABLE cure (
    server TEXT NOT NULL,
    family TEXT NOT NULL,
    cure TEXT NOT NULL, -- "One order for all"
    marked_by TEXT NOT NULL,
    marked_us INTEGER NOT NULL,
    back_us INTEGER NOT NULL DEFAULT 0, -- the latest deadlock of it since then; 0: none
    PRIMARY KEY (server, family)
);
PRAGMA user_version = 3;
