-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What is written into a recording and read from it; its tables are explained in install.sql.

-- name: tables
SELECT count(*) FROM sqlite_schema;

-- name: strange_tables
-- Those that are made of something else than rows of this file: code would run to read them.
SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND coalesce(rootpage, 0) = 0;

-- name: application
PRAGMA application_id;

-- name: version
PRAGMA user_version;

-- name: identify
INSERT INTO recording (one, id, server, engine, began_us, redacted, program)
VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6);

-- name: identity
SELECT
    id,
    server,
    engine,
    began_us,
    redacted,
    program
FROM recording;

-- name: texts
SELECT
    id,
    value,
    used
FROM text
ORDER BY id DESC
LIMIT ?1;

-- name: text
SELECT value FROM text WHERE id = ?1;

-- name: add_text
INSERT INTO text (id, value, used)
VALUES (?1, ?2, ?3);

-- name: use_text
UPDATE text SET used = ?2 WHERE id = ?1;

-- name: begin_segment
INSERT INTO segment (began_us, seen_us, noted_us, host, process_id)
VALUES (?1, ?1, ?2, ?3, ?4);

-- name: go_on
UPDATE segment SET seen_us = ?2 WHERE id = ?1;

-- name: end_segment
UPDATE segment SET end_reason = ?2 WHERE id = ?1;

-- name: segments
SELECT
    began_us,
    seen_us,
    end_reason,
    host
FROM segment
ORDER BY id;

-- name: add_frame
INSERT INTO frame (
    number, segment, key_frame, taken_us, noted_us, sessions, locks, waiting, longest_ms, longest_exact, heads, head_text, data
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13);

-- name: last_frame
SELECT coalesce(max(number), 0) FROM frame;

-- name: frame_at
-- The latest frame that was taken then or before.
SELECT
    number,
    key_frame
FROM frame
WHERE taken_us <= ?1
ORDER BY taken_us DESC, number DESC
LIMIT 1;

-- name: first_frame
SELECT
    number,
    key_frame
FROM frame
ORDER BY number
LIMIT 1;

-- name: frames
SELECT
    number,
    data
FROM frame
WHERE number BETWEEN ?1 AND ?2
ORDER BY number;

-- name: places
SELECT
    number,
    key_frame,
    taken_us
FROM frame
ORDER BY number;

-- name: span
SELECT
    min(taken_us),
    max(taken_us),
    count(*)
FROM frame;

-- name: moments
-- For a strip of so many columns: the worst of each stretch of ?3 microseconds.
SELECT
    min(taken_us),
    max(segment),
    max(sessions),
    max(locks),
    max(waiting),
    max(longest_ms),
    min(longest_exact),
    max(heads),
    max(head_text)
FROM frame
WHERE taken_us BETWEEN ?1 AND ?2
GROUP BY (taken_us - ?1) / ?3
ORDER BY 1;

-- name: next_waiting
-- Where an incident may begin: the next moment with somebody waiting.
SELECT taken_us
FROM frame
WHERE taken_us > ?1 AND waiting > 0
ORDER BY taken_us
LIMIT 1;

-- name: next_calm
SELECT taken_us
FROM frame
WHERE taken_us > ?1 AND waiting = 0
ORDER BY taken_us
LIMIT 1;

-- name: previous_waiting
SELECT taken_us
FROM frame
WHERE taken_us < ?1 AND waiting > 0
ORDER BY taken_us DESC
LIMIT 1;

-- name: previous_calm
SELECT taken_us
FROM frame
WHERE taken_us < ?1 AND waiting = 0
ORDER BY taken_us DESC
LIMIT 1;

-- name: add_event
INSERT OR IGNORE INTO event (at_us, noted_us, kind, what, detail, source_key)
VALUES (?1, ?2, ?3, ?4, ?5, ?6);

-- name: events
SELECT
    at_us,
    noted_us,
    kind,
    what,
    detail
FROM event
WHERE at_us BETWEEN ?1 AND ?2
ORDER BY at_us, id;

-- name: add_pin
INSERT INTO pin (from_us, to_us, why)
VALUES (?1, ?2, ?3);

-- name: last_resource
SELECT coalesce(max(id), 0) FROM resource;

-- name: resource
SELECT id FROM resource WHERE kind = ?1 AND database_name = ?2 AND identity = ?3 AND name = ?4;

-- name: add_resource
INSERT INTO resource (id, kind, database_name, identity, name)
VALUES (?1, ?2, ?3, ?4, ?5);

-- name: last_party
SELECT coalesce(max(id), 0) FROM party;

-- name: party
SELECT id FROM party WHERE session = ?1 AND started_us = ?2 AND user_name = ?3 AND program = ?4 AND host = ?5;

-- name: add_party
INSERT INTO party (id, session, started_us, user_name, program, host)
VALUES (?1, ?2, ?3, ?4, ?5, ?6);

-- name: add_interval
INSERT INTO lock_interval (resource, from_us, number, party, mode, waited, from_exact, to_us, gone_us)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9);

-- name: last_interval
SELECT coalesce(max(number), 0) FROM lock_interval;

-- name: add_open
INSERT INTO open_interval (id, resource, from_us, party, mode, waited, from_exact)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7);

-- name: drop_open
DELETE FROM open_interval WHERE id = ?1;

-- name: end_open
-- Those that a program left open when it was cut off end as they were seen last; nobody knows when they went.
INSERT INTO lock_interval (resource, from_us, number, party, mode, waited, from_exact, to_us, gone_us)
SELECT
    resource,
    from_us,
    ?1 + row_number() OVER (ORDER BY id),
    party,
    mode,
    waited,
    from_exact,
    (SELECT seen_us FROM segment ORDER BY id DESC LIMIT 1),
    NULL
FROM open_interval;

-- name: forget_open
DELETE FROM open_interval;

-- name: history
-- Who held a lock, or waited for it. ?1 its name, ?2 and ?3 the time.
SELECT
    r.kind,
    r.database_name,
    r.name,
    i.waited,
    i.mode,
    p.session,
    p.started_us,
    p.user_name,
    p.program,
    p.host,
    i.from_us,
    i.from_exact,
    i.to_us,
    i.gone_us
FROM resource AS r
INNER JOIN lock_interval AS i ON r.id = i.resource
INNER JOIN party AS p ON i.party = p.id
WHERE r.name = ?1 AND i.from_us <= ?3 AND i.to_us >= ?2
ORDER BY i.from_us, i.number;

-- name: open_history
-- The same of those that go on.
SELECT
    r.kind,
    r.database_name,
    r.name,
    i.waited,
    i.mode,
    p.session,
    p.started_us,
    p.user_name,
    p.program,
    p.host,
    i.from_us,
    i.from_exact,
    (SELECT s.seen_us FROM segment AS s ORDER BY s.id DESC LIMIT 1),
    NULL
FROM resource AS r
INNER JOIN open_interval AS i ON r.id = i.resource
INNER JOIN party AS p ON i.party = p.id
WHERE r.name = ?1 AND i.from_us <= ?3
ORDER BY i.from_us;

-- name: key_frames
SELECT
    key_frame,
    taken_us,
    noted_us
FROM frame
WHERE number = key_frame
ORDER BY key_frame;

-- name: is_pinned
SELECT 1 FROM pin WHERE from_us <= ?2 AND to_us >= ?1 LIMIT 1;

-- name: drop_frames
DELETE FROM frame WHERE number BETWEEN ?1 AND ?2;

-- name: drop_intervals
DELETE FROM lock_interval
WHERE to_us < ?1 AND NOT EXISTS (
    SELECT 1 FROM pin WHERE pin.from_us <= lock_interval.to_us AND pin.to_us >= lock_interval.from_us
);

-- name: drop_events
DELETE FROM event
WHERE at_us < ?1 AND NOT EXISTS (SELECT 1 FROM pin WHERE event.at_us BETWEEN pin.from_us AND pin.to_us);

-- name: drop_texts
-- Those that no frame uses any more; a pinned frame keeps all that were used since. The last one stays: no
-- number is given twice, a reader may know the text it had.
DELETE FROM text WHERE used < ?1 AND id < (SELECT max(t.id) FROM text AS t);

-- name: drop_resources
-- Those that no interval names any more; numbers as of texts.
DELETE FROM resource
WHERE id < (SELECT max(r.id) FROM resource AS r)
    AND NOT EXISTS (SELECT 1 FROM lock_interval AS i WHERE i.resource = resource.id)
    AND NOT EXISTS (SELECT 1 FROM open_interval AS o WHERE o.resource = resource.id);

-- name: drop_parties
DELETE FROM party
WHERE id < (SELECT max(p.id) FROM party AS p)
    AND id NOT IN (SELECT i.party FROM lock_interval AS i)
    AND id NOT IN (SELECT o.party FROM open_interval AS o);

-- name: drop_segments
DELETE FROM segment
WHERE seen_us < ?1 AND NOT EXISTS (SELECT 1 FROM frame WHERE frame.taken_us BETWEEN segment.began_us AND segment.seen_us);

-- name: used_bytes
SELECT (p.page_count - f.freelist_count) * s.page_size
FROM pragma_page_count AS p, pragma_freelist_count AS f, pragma_page_size AS s;
