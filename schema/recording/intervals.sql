-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Of a recording (install.sql): who held what, or waited for it, from when to when. There are millions: the view
-- lock_interval has them as they are meant, lock_history with names; the tables have them as they take little room.
--
-- What ends is put into recent_interval. When that has enough, all of it becomes a block of packed_interval, in which those
-- of a resource lie side by side: one resource is looked up once in each block, a time in the blocks that meet it. Those
-- that waited make a block of their own, and so do those that were long: they would make any block meet many times.
PRAGMA user_version = 1; -- the version of this form
CREATE TABLE lock_mode (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE -- as the engine calls it; empty: of a lock table
);
CREATE TABLE recent_interval (
    number INTEGER PRIMARY KEY,
    resource INTEGER NOT NULL,
    party INTEGER NOT NULL,
    what INTEGER NOT NULL, -- 4 times the mode, + 2: waited for it (else held it), + 1: from_us is exact
    from_us INTEGER NOT NULL,
    to_us INTEGER NOT NULL, -- seen until then
    gone_us INTEGER, -- not there any more then; NULL: not recorded
    polls INTEGER NOT NULL, -- made from from_us to to_us
    doubt INTEGER NOT NULL, -- 2 times those that did not see it, + 1: nothing proves that it lasted between two
    statement INTEGER NOT NULL -- the text of the family of what its session ran when it was seen first; 0: not known
);
CREATE TABLE interval_block (
    id INTEGER PRIMARY KEY,
    waited INTEGER NOT NULL, -- 1: all of them waited, 0: all of them held
    first_number INTEGER NOT NULL,
    last_number INTEGER NOT NULL,
    from_us INTEGER NOT NULL, -- none of them began earlier,
    base_us INTEGER NOT NULL, -- ended earlier,
    to_us INTEGER NOT NULL -- or ended later
);
CREATE TABLE packed_interval (
    block INTEGER NOT NULL,
    resource INTEGER NOT NULL,
    place INTEGER NOT NULL, -- its number, from the block's first_number on
    party INTEGER NOT NULL,
    what INTEGER NOT NULL, -- as above
    ended INTEGER NOT NULL, -- its to_us, from the block's base_us on
    length INTEGER NOT NULL, -- microseconds from from_us to to_us
    gone INTEGER, -- its gone_us, from to_us on
    polls INTEGER NOT NULL, -- as above
    doubt INTEGER NOT NULL,
    statement INTEGER NOT NULL,
    PRIMARY KEY (block, resource, place)
) WITHOUT ROWID;
-- (Columns have the same affinity in all parts, so that SQLite looks for what is asked for in each part.)
CREATE VIEW lock_interval AS
SELECT
    i.resource,
    cast(b.base_us + i.ended - i.length AS INTEGER) AS from_us,
    cast(b.first_number + i.place AS INTEGER) AS number,
    i.party,
    m.name AS mode,
    b.waited, -- 1: waited for it, 0: held it
    i.what & 1 AS from_exact, -- 0: at the latest then, perhaps earlier
    cast(b.base_us + i.ended AS INTEGER) AS to_us,
    cast(b.base_us + i.ended + i.gone AS INTEGER) AS gone_us,
    i.polls - i.doubt / 2 AS seen_polls, -- it was seen at so many
    i.polls, -- of those that were made in that time
    1 - (i.doubt & 1) AS proven, -- 1: it lasted from from_us to to_us; 0: it was there at these polls
    i.statement
FROM interval_block AS b
CROSS JOIN packed_interval AS i ON b.id = i.block
CROSS JOIN lock_mode AS m ON i.what >> 2 = m.id
UNION ALL
SELECT
    i.resource,
    i.from_us,
    i.number,
    i.party,
    m.name,
    cast(i.what >> 1 & 1 AS INTEGER),
    i.what & 1,
    i.to_us,
    i.gone_us,
    i.polls - i.doubt / 2,
    i.polls,
    1 - (i.doubt & 1),
    i.statement
FROM recent_interval AS i
CROSS JOIN lock_mode AS m ON i.what >> 2 = m.id;
-- "When was it held, and by whom?" With those that go on.
CREATE VIEW lock_history AS
SELECT
    r.kind,
    r.database_name,
    r.name AS lock_name,
    CASE i.waited WHEN 1 THEN 'waited' ELSE 'held' END AS what,
    i.mode,
    p.session,
    p.user_name,
    p.program,
    p.host,
    strftime('%Y-%m-%dT%H:%M:%f', i.from_us / 1000000.0, 'unixepoch') || 'Z' AS from_time,
    CASE i.from_exact WHEN 1 THEN 'exact' ELSE 'at the latest' END AS from_is,
    strftime('%Y-%m-%dT%H:%M:%f', i.to_us / 1000000.0, 'unixepoch') || 'Z' AS seen_until,
    i.seen_polls,
    i.polls,
    CASE i.proven WHEN 1 THEN (i.to_us - i.from_us) / 1000 END AS at_least_ms -- NULL: nothing proves it
FROM resource AS r
INNER JOIN lock_interval AS i ON r.id = i.resource
INNER JOIN party AS p ON i.party = p.id
UNION ALL
SELECT
    r.kind,
    r.database_name,
    r.name,
    CASE i.waited WHEN 1 THEN 'waited' ELSE 'held' END,
    i.mode,
    p.session,
    p.user_name,
    p.program,
    p.host,
    strftime('%Y-%m-%dT%H:%M:%f', i.from_us / 1000000.0, 'unixepoch') || 'Z',
    CASE i.from_exact WHEN 1 THEN 'exact' ELSE 'at the latest' END,
    strftime('%Y-%m-%dT%H:%M:%f', (SELECT s.seen_us FROM segment AS s ORDER BY s.id DESC LIMIT 1) / 1000000.0, 'unixepoch') || 'Z',
    (SELECT max(f.number) FROM frame AS f) - i.first_poll + 1 - i.doubt / 2,
    (SELECT max(f.number) FROM frame AS f) - i.first_poll + 1,
    CASE i.doubt & 1 WHEN 0 THEN ((SELECT s.seen_us FROM segment AS s ORDER BY s.id DESC LIMIT 1) - i.from_us) / 1000 END
FROM resource AS r
INNER JOIN open_interval AS i ON r.id = i.resource
INNER JOIN party AS p ON i.party = p.id;
