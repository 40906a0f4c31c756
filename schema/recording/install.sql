-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A recording: what Lockscope saw of one server, snapshot by snapshot. Any program that opens SQLite files may read it.
--
-- Times are microseconds since 1970 in UTC: "…_us" by the server's clock, "noted_us" by that of the machine that
-- recorded. Texts stand once, in the table text; columns that end in "_text" are its numbers.
-- Who held what and waited for it: intervals.sql. Views are for people. A frame's data is for Lockscope, with
-- a checksum of its own: see core/record/FrameCodec.h.
PRAGMA application_id = 0x4c6b7363; -- "Lksc"
CREATE TABLE recording (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    id TEXT NOT NULL, -- of this recording and no other
    server TEXT NOT NULL, -- as it was shown
    engine TEXT NOT NULL, -- sqlserver, postgres, sqlite
    began_us INTEGER NOT NULL, -- by the clock of the machine that recorded
    redacted INTEGER NOT NULL, -- 1: literals of statements were left out
    program TEXT NOT NULL, -- and its version
    place TEXT NOT NULL, -- which server that is, whatever it is called
    cluster TEXT NOT NULL -- what the server itself calls its data, wherever that runs; empty: not known
);
CREATE TABLE text (
    id INTEGER PRIMARY KEY,
    value TEXT NOT NULL, -- of a family of statements: with a character 2 in place of each value; the values stand in frames
    first_used INTEGER NOT NULL, -- the frame with which it came
    last_used INTEGER NOT NULL, -- the latest key frame among whose frames it is used
    checksum INTEGER NOT NULL -- of id and value, see core/record/Damage.h
);
-- Those that are searched for a text: no numbers of transactions; there are millions of these.
CREATE INDEX text_searched ON text (last_used) WHERE substr(value, 1, 12) NOT IN ('transaction ', 'virtual tran');
-- A range of time in which one program watched without interruption.
CREATE TABLE segment (
    id INTEGER PRIMARY KEY,
    began_us INTEGER NOT NULL,
    seen_us INTEGER NOT NULL, -- the last time of it
    noted_us INTEGER NOT NULL, -- when it began
    host TEXT NOT NULL,
    process_id INTEGER NOT NULL,
    end_reason TEXT -- NULL: it goes on, or the program was cut off
);
-- A snapshot. Every so often a frame is a key frame, which needs none before it; the others change the one before.
CREATE TABLE frame (
    number INTEGER PRIMARY KEY,
    segment INTEGER NOT NULL,
    key_frame INTEGER NOT NULL, -- the number of the one to begin with; its own: it is a key frame
    taken_us INTEGER NOT NULL,
    noted_us INTEGER NOT NULL,
    interval_ms INTEGER NOT NULL DEFAULT 0, -- at most so long after the frame before it was meant to be; 0: not known
    after_gap INTEGER NOT NULL DEFAULT 0, -- what is before it: 0 no gap; 1 what was not recorded; 2 frames that were dropped
    sessions INTEGER NOT NULL,
    locks INTEGER NOT NULL,
    waiting INTEGER NOT NULL,
    longest_ms INTEGER NOT NULL, -- the longest wait
    longest_exact INTEGER NOT NULL, -- 0: at least that long
    heads INTEGER NOT NULL, -- sessions that block others and wait for nobody
    head_text INTEGER NOT NULL, -- the worst head blocker, or a ring's first session; 0: nobody is blocked
    data BLOB NOT NULL
);
CREATE INDEX frame_taken ON frame (taken_us);
CREATE INDEX frame_gap ON frame (segment, taken_us) WHERE after_gap > 0; -- all that tells of gaps: they are few
CREATE INDEX frame_dropped ON frame (number) WHERE after_gap = 2; -- and of how many frames there are
CREATE INDEX frame_key ON frame (key_frame, taken_us, noted_us) WHERE number = key_frame;
CREATE INDEX frame_waiting ON frame (taken_us) WHERE waiting > 0;
-- What happened: a poll that failed, a gap, an act, a deadlock, an alert, a note. And the report that a server wrote of a
-- deadlock, beside the event of that: kind "report", "what" where the server keeps it, "detail" its text, whatever its form.
-- A person's own note is kind "mark": "what" its text, "detail" {"author": …, "until": microseconds, if it is of a range}.
CREATE TABLE event (
    id INTEGER PRIMARY KEY,
    at_us INTEGER NOT NULL,
    noted_us INTEGER NOT NULL,
    kind TEXT NOT NULL,
    what TEXT NOT NULL,
    detail TEXT NOT NULL, -- JSON, or empty
    source_key TEXT UNIQUE, -- where it came from, so that it is put down once
    checksum INTEGER NOT NULL -- of at_us, kind, what and detail
);
CREATE INDEX event_at ON event (at_us);
-- What surrounds locks: what the server tells of itself every so often. A kind has names: "commits" those of databases,
-- "setting" those of settings.
CREATE TABLE measure (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    name TEXT NOT NULL, -- empty: of the whole server
    UNIQUE (kind, name)
);
CREATE TABLE surroundings (
    id INTEGER PRIMARY KEY,
    taken_us INTEGER NOT NULL,
    measure INTEGER NOT NULL,
    value INTEGER NOT NULL, -- in the unit that its kind has
    text TEXT NOT NULL -- of what is no number; else empty
);
CREATE INDEX surroundings_taken ON surroundings (taken_us);
-- Kept although older than what is kept else.
CREATE TABLE pin (
    id INTEGER PRIMARY KEY,
    from_us INTEGER NOT NULL,
    to_us INTEGER NOT NULL,
    why TEXT NOT NULL
);
CREATE TABLE resource (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    database_name TEXT NOT NULL,
    name TEXT NOT NULL,
    identity TEXT NOT NULL, -- the numbers that the engine knows it by
    -- Of its packed intervals, also of those that are dropped: when the first one began and when one was seen last. NULL: none.
    first_us INTEGER,
    last_us INTEGER,
    UNIQUE (kind, database_name, identity, name)
);
CREATE INDEX resource_name ON resource (name);
CREATE TABLE party (
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL, -- 0: none that is known
    started_us INTEGER NOT NULL,
    user_name TEXT NOT NULL,
    program TEXT NOT NULL,
    host TEXT NOT NULL,
    first_us INTEGER, -- as of resources
    last_us INTEGER,
    UNIQUE (session, started_us, user_name, program, host)
);
-- Those that go on: seen until the end of the last segment.
CREATE TABLE open_interval (
    id INTEGER PRIMARY KEY,
    resource INTEGER NOT NULL,
    from_us INTEGER NOT NULL,
    party INTEGER NOT NULL,
    mode TEXT NOT NULL,
    waited INTEGER NOT NULL,
    from_exact INTEGER NOT NULL,
    first_poll INTEGER NOT NULL, -- the frame with which its polls are counted
    doubt INTEGER NOT NULL, -- see intervals.sql
    statement INTEGER NOT NULL
);
CREATE INDEX open_interval_resource ON open_interval (resource);
CREATE VIEW moment AS
SELECT
    number,
    strftime('%Y-%m-%dT%H:%M:%f', taken_us / 1000000.0, 'unixepoch') || 'Z' AS taken,
    sessions,
    locks,
    waiting,
    longest_ms,
    heads,
    (SELECT t.value FROM text AS t WHERE t.id = frame.head_text) AS head
FROM frame;
