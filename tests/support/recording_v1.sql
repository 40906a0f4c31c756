-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Makes a recording one of version 1, as that kept intervals.
CREATE TEMP TABLE kept AS SELECT * FROM lock_interval;
DROP VIEW lock_history;
DROP VIEW lock_interval;
DROP TABLE packed_interval;
DROP TABLE interval_block;
DROP TABLE recent_interval;
DROP TABLE lock_mode;
-- Who held what, or waited for it, from when to when.
CREATE TABLE lock_interval (
    resource INTEGER NOT NULL,
    from_us INTEGER NOT NULL,
    number INTEGER NOT NULL,
    party INTEGER NOT NULL,
    mode TEXT NOT NULL,
    waited INTEGER NOT NULL, -- 1: waited for it, 0: held it
    from_exact INTEGER NOT NULL, -- 0: at the latest then, perhaps earlier
    to_us INTEGER NOT NULL, -- seen until then
    gone_us INTEGER, -- not there any more then; NULL: nobody looked
    PRIMARY KEY (resource, from_us, number)
) WITHOUT ROWID;
-- With all that is needed to sum up holders over a time; and the few that waited.
CREATE INDEX lock_interval_to ON lock_interval (to_us, waited, party);
CREATE INDEX lock_interval_wait ON lock_interval (to_us) WHERE waited = 1;
-- "When was it held, and by whom?"
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
    (i.to_us - i.from_us) / 1000 AS at_least_ms
FROM (
    SELECT
        resource,
        party,
        mode,
        waited,
        from_us,
        from_exact,
        to_us
    FROM lock_interval
    UNION ALL
    SELECT
        o.resource,
        o.party,
        o.mode,
        o.waited,
        o.from_us,
        o.from_exact,
        (SELECT max(s.seen_us) FROM segment AS s)
    FROM open_interval AS o
) AS i
INNER JOIN resource AS r ON i.resource = r.id
INNER JOIN party AS p ON i.party = p.id;
INSERT INTO lock_interval (resource, from_us, number, party, mode, waited, from_exact, to_us, gone_us)
SELECT resource, from_us, number, party, mode, waited, from_exact, to_us, gone_us FROM kept;
DROP TABLE kept;
PRAGMA user_version = 1;
