-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Of a connection to a recording: its intervals, with those that go on, as the statements of recording.sql ask for them. No
-- view of the file itself is used: it may be somebody else's. Those that meet a time are in blocks that do, those with a
-- number behind another one in blocks with such numbers; of those that are in none it is their own times and number. (Columns
-- have the same affinity in all parts, so that SQLite looks for what is asked for in each part.)
CREATE TEMP VIEW seen_interval AS
SELECT
    i.resource,
    i.party,
    (SELECT m.name FROM main.lock_mode AS m WHERE m.id = i.what >> 2) AS mode,
    b.waited,
    cast(b.base_us + i.ended - i.length AS INTEGER) AS from_us,
    i.what & 1 AS from_exact,
    cast(b.base_us + i.ended AS INTEGER) AS to_us,
    cast(b.base_us + i.ended + i.gone AS INTEGER) AS gone_us,
    0 AS goes_on,
    cast(b.first_number + i.place AS INTEGER) AS number,
    b.from_us AS block_from_us,
    b.to_us AS block_to_us,
    b.last_number AS block_last,
    i.polls,
    i.doubt,
    i.statement
FROM main.interval_block AS b
CROSS JOIN main.packed_interval AS i ON b.id = i.block
UNION ALL
SELECT
    i.resource,
    i.party,
    (SELECT m.name FROM main.lock_mode AS m WHERE m.id = i.what >> 2),
    cast(i.what >> 1 & 1 AS INTEGER),
    i.from_us,
    i.what & 1,
    i.to_us,
    i.gone_us,
    0,
    i.number,
    i.from_us,
    i.to_us,
    i.number,
    i.polls,
    i.doubt,
    i.statement
FROM main.recent_interval AS i
UNION ALL
SELECT
    o.resource,
    o.party,
    o.mode,
    o.waited,
    o.from_us,
    +o.from_exact,
    (SELECT s.seen_us FROM main.segment AS s ORDER BY s.id DESC LIMIT 1),
    cast(NULL AS INTEGER),
    1,
    o.id,
    o.from_us,
    (SELECT s.seen_us FROM main.segment AS s ORDER BY s.id DESC LIMIT 1),
    o.id,
    (SELECT max(f.number) FROM main.frame AS f) - o.first_poll + 1,
    o.doubt,
    o.statement
FROM main.open_interval AS o;
-- When resources and parties were seen first and last, with their intervals that are not packed yet.
CREATE TEMP VIEW seen_resource AS
SELECT
    r.id,
    r.kind,
    r.database_name,
    r.name,
    r.identity,
    min(s.first_us) AS first_us,
    max(s.last_us) AS last_us
FROM main.resource AS r
INNER JOIN (
    SELECT
        p.id,
        p.first_us,
        p.last_us
    FROM main.resource AS p
    UNION ALL
    SELECT
        i.resource,
        i.from_us,
        i.to_us
    FROM main.recent_interval AS i
    UNION ALL
    SELECT
        o.resource,
        o.from_us,
        (SELECT g.seen_us FROM main.segment AS g ORDER BY g.id DESC LIMIT 1)
    FROM main.open_interval AS o
) AS s ON r.id = s.id
GROUP BY r.id;
CREATE TEMP VIEW seen_party AS
SELECT
    q.id,
    q.session,
    q.started_us,
    q.user_name,
    q.program,
    q.host,
    min(s.first_us) AS first_us,
    max(s.last_us) AS last_us
FROM main.party AS q
INNER JOIN (
    SELECT
        p.id,
        p.first_us,
        p.last_us
    FROM main.party AS p
    UNION ALL
    SELECT
        i.party,
        i.from_us,
        i.to_us
    FROM main.recent_interval AS i
    UNION ALL
    SELECT
        o.party,
        o.from_us,
        (SELECT g.seen_us FROM main.segment AS g ORDER BY g.id DESC LIMIT 1)
    FROM main.open_interval AS o
) AS s ON q.id = s.id
GROUP BY q.id;
