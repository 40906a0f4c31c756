-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What is written into a recording and read from it; its tables are explained in install.sql and intervals.sql, seen_interval
-- in reading.sql.

-- name: tables
SELECT count(*) FROM sqlite_schema;

-- name: strange_tables
-- Those that are made of something else than rows of this file, or have columns that are: code would run to read them.
SELECT count(*)
FROM sqlite_schema AS t
WHERE t.type = 'table' AND (
    coalesce(t.rootpage, 0) = 0 OR EXISTS (SELECT 1 FROM pragma_table_xinfo(t.name) AS c WHERE c.hidden <> 0)
);

-- name: application
PRAGMA application_id;

-- name: version
PRAGMA user_version;

-- name: identify
INSERT INTO recording (one, id, server, engine, began_us, redacted, program, place, cluster)
VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8);

-- name: identity
SELECT
    id,
    server,
    engine,
    began_us,
    redacted,
    program,
    place,
    cluster
FROM recording;

-- name: texts
SELECT
    id,
    value,
    last_used,
    checksum
FROM text
ORDER BY id DESC
LIMIT ?1;

-- name: texts_between
-- Where texts can't have a character 0 the third column has it, in UTF-8. A store that checks its pages itself has no checksums.
SELECT
    id,
    value,
    NULL,
    checksum
FROM text
WHERE id BETWEEN ?1 AND ?2
ORDER BY id;

-- name: add_text
INSERT INTO text (id, value, last_used, checksum, first_used)
VALUES (?1, ?2, ?3, ?4, ?5);

-- name: use_text
UPDATE text SET last_used = ?2 WHERE id = ?1;

-- name: use_open_statements
-- Those of intervals that go on.
UPDATE text SET last_used = ?1 WHERE last_used < ?1 AND id IN (SELECT statement FROM open_interval);

-- name: begin_segment
INSERT INTO segment (began_us, seen_us, noted_us, host, process_id)
VALUES (?1, ?1, ?2, ?3, ?4);

-- name: go_on
UPDATE segment SET seen_us = ?2 WHERE id = ?1;

-- name: explain_end
-- Of the last segment, if nobody has said yet why it ended.
UPDATE segment SET end_reason = ?1 WHERE end_reason IS NULL AND id = (SELECT max(s.id) FROM segment AS s);

-- name: end_segment
UPDATE segment SET end_reason = ?2 WHERE id = ?1;

-- name: segments
SELECT
    began_us,
    seen_us,
    end_reason,
    host,
    id,
    process_id
FROM segment
WHERE seen_us >= ?1 AND began_us <= ?2
ORDER BY id
LIMIT ?3;

-- name: add_frame
INSERT INTO frame (
    number, segment, key_frame, taken_us, noted_us, sessions, locks, waiting, longest_ms, longest_exact, heads, head_text, data,
    interval_ms, after_gap
)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15);

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

-- name: recorded_time
-- When the first frame was taken, and how much of the time from there to the last one is not recorded.
SELECT
    f.taken_us,
    coalesce(
        (
            SELECT
                sum(
                    max(
                        0,
                        g.taken_us - (
                            SELECT b.taken_us
                            FROM frame AS b
                            WHERE b.number < g.number
                            ORDER BY b.number DESC
                            LIMIT 1
                        )
                    )
                )
            FROM frame AS g
            WHERE g.after_gap > 0
        ),
        0
    ) AS gaps_us
FROM frame AS f
ORDER BY f.number
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
    taken_us,
    noted_us,
    segment,
    interval_ms
FROM frame
WHERE number > ?1
ORDER BY number
LIMIT ?2;

-- name: place_before
-- The frame before the first one of a segment in a range of time.
SELECT min(number) - 1
FROM frame
WHERE taken_us BETWEEN ?2 AND ?3 AND segment = ?1;

-- name: latest
SELECT
    taken_us,
    noted_us
FROM frame
ORDER BY number DESC
LIMIT 1;

-- name: span
-- In the order in which they were written: a clock that was ahead for a while does not say which is the last one, nor one
-- that was ahead at the beginning which is the first. How many there are is known by their numbers: none is missing but
-- before those that say so.
SELECT
    (SELECT f.taken_us FROM frame AS f WHERE f.taken_us <= l.taken_us ORDER BY f.number LIMIT 1),
    l.taken_us,
    l.number + 1 - (SELECT min(f.number) FROM frame AS f) - (
        SELECT coalesce(sum(d.number - 1 - (SELECT max(b.number) FROM frame AS b WHERE b.number < d.number)), 0)
        FROM frame AS d
        WHERE d.after_gap = 2
    )
FROM frame AS l
ORDER BY l.number DESC
LIMIT 1;

-- name: snapshots
-- For a strip of so many columns: the worst of each range of ?3 microseconds, and the head of when most waited.
WITH stretch AS (
    SELECT
        min(taken_us) AS first_us,
        max(segment) AS segment,
        max(sessions) AS sessions,
        max(locks) AS locks,
        max(waiting) AS waiting,
        max(longest_ms) AS longest_ms,
        min(longest_exact) AS longest_exact,
        max(heads) AS heads,
        max(taken_us) AS last_us,
        -- When most waited: 43 bits for the place within the range (100 days), the rest for how many waited.
        ?1 + (taken_us - ?1) / ?3 * ?3 + (max((waiting << 43) + (taken_us - ?1) % ?3) & 8796093022207) AS worst_us,
        count(*) AS frames
    FROM frame
    WHERE taken_us BETWEEN ?1 AND ?2
    GROUP BY (taken_us - ?1) / ?3
)
SELECT
    s.first_us,
    s.segment,
    s.sessions,
    s.locks,
    s.waiting,
    s.longest_ms,
    s.longest_exact,
    s.heads,
    coalesce((SELECT f.head_text FROM frame AS f WHERE f.taken_us = s.worst_us ORDER BY f.waiting DESC LIMIT 1), 0),
    s.last_us,
    s.worst_us,
    s.frames
FROM stretch AS s
ORDER BY 1;

-- name: next_snapshot
-- By number, as clocks may have been set.
SELECT taken_us
FROM frame
WHERE number > coalesce((SELECT f.number FROM frame AS f WHERE f.taken_us <= ?1 ORDER BY f.taken_us DESC, f.number DESC LIMIT 1), 0)
ORDER BY number
LIMIT 1;

-- name: previous_snapshot
SELECT taken_us
FROM frame
WHERE number < coalesce(
    (SELECT max(f.number) FROM frame AS f WHERE f.taken_us = ?1),
    (SELECT f.number + 1 FROM frame AS f WHERE f.taken_us < ?1 ORDER BY f.taken_us DESC, f.number DESC LIMIT 1)
)
ORDER BY number DESC
LIMIT 1;

-- name: next_wait
-- Where a wait may begin, or become as long as ?2: the next frame with one, until the last frame by its number.
SELECT taken_us
FROM frame
WHERE taken_us > ?1 AND waiting > 0 AND longest_ms >= ?2
    AND taken_us <= (SELECT l.taken_us FROM frame AS l ORDER BY l.number DESC LIMIT 1)
ORDER BY taken_us
LIMIT 1;

-- name: next_calm
-- The next frame without such a wait.
SELECT taken_us
FROM frame
WHERE taken_us > ?1 AND (waiting = 0 OR longest_ms < ?2)
ORDER BY taken_us
LIMIT 1;

-- name: previous_wait
SELECT taken_us
FROM frame
WHERE taken_us < ?1 AND waiting > 0 AND longest_ms >= ?2
ORDER BY taken_us DESC
LIMIT 1;

-- name: previous_calm
SELECT taken_us
FROM frame
WHERE taken_us < ?1 AND (waiting = 0 OR longest_ms < ?2)
ORDER BY taken_us DESC
LIMIT 1;

-- name: next_event
SELECT at_us
FROM event
WHERE at_us > ?1 AND kind = ?2
ORDER BY at_us
LIMIT 1;

-- name: previous_event
SELECT at_us
FROM event
WHERE at_us < ?1 AND kind = ?2
ORDER BY at_us DESC
LIMIT 1;

-- name: add_event
INSERT OR IGNORE INTO event (at_us, noted_us, kind, what, detail, source_key, checksum)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7);

-- name: events
SELECT
    at_us,
    noted_us,
    kind,
    what,
    detail,
    source_key,
    checksum
FROM event
WHERE at_us BETWEEN ?1 AND ?2 AND kind <> 'report'
ORDER BY at_us, id
LIMIT ?3;

-- name: latest_events
SELECT
    at_us,
    noted_us,
    kind,
    what,
    detail,
    source_key,
    checksum
FROM event
WHERE kind = ?1
ORDER BY at_us DESC, id DESC
LIMIT ?2;

-- name: reports
-- The reports of deadlocks, as the server wrote them: they may be long.
SELECT
    at_us,
    what,
    detail,
    source_key,
    checksum
FROM event
WHERE at_us BETWEEN ?1 AND ?2 AND kind = 'report'
ORDER BY at_us, id
LIMIT ?3;

-- name: measure
SELECT id FROM measure WHERE kind = ?1 AND name = ?2;

-- name: add_measure
INSERT INTO measure (kind, name)
VALUES (?1, ?2);

-- name: add_surroundings
INSERT INTO surroundings (taken_us, measure, value, text)
VALUES (?1, ?2, ?3, ?4);

-- name: surroundings
-- Between ?1 and ?2.
SELECT
    s.taken_us,
    m.kind,
    m.name,
    s.value,
    s.text
FROM surroundings AS s
INNER JOIN measure AS m ON s.measure = m.id
WHERE s.taken_us BETWEEN ?1 AND ?2
ORDER BY s.taken_us, s.id
LIMIT ?3;

-- name: set_cluster
UPDATE recording SET cluster = ?1;

-- name: go_on_failing
UPDATE event SET detail = ?2, checksum = ?3 WHERE id = ?1;

-- name: add_pin
INSERT INTO pin (from_us, to_us, why)
SELECT ?1, ?2, ?3
WHERE NOT EXISTS (SELECT 1 FROM pin WHERE from_us = ?1 AND to_us = ?2 AND why = ?3);

-- name: pins
SELECT
    from_us,
    to_us,
    why,
    id
FROM pin
ORDER BY from_us, id
LIMIT ?1;

-- name: pins_before
SELECT
    from_us,
    to_us,
    why,
    id
FROM pin
WHERE to_us < ?1
ORDER BY to_us, id;

-- name: pin_count
SELECT count(*) FROM pin;

-- name: drop_pin
DELETE FROM pin WHERE id = ?1;

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
INSERT INTO recent_interval (number, resource, party, what, from_us, to_us, gone_us, polls, doubt, statement)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10);

-- name: knows_interval
-- One that was over before anybody looked is seen again after each gap; it is put down once.
SELECT 1
FROM seen_interval
WHERE goes_on = 0 AND block_from_us <= ?5 AND block_to_us >= ?6 AND resource = ?1 AND party = ?2 AND mode = ?3 AND waited = ?4
    AND from_us = ?5 AND to_us = ?6 AND gone_us = ?7
LIMIT 1;

-- name: mode
SELECT id FROM lock_mode WHERE name = ?1;

-- name: add_mode
INSERT INTO lock_mode (name)
VALUES (?1);

-- name: recent_intervals
SELECT count(*) FROM recent_interval;

-- name: last_block
SELECT coalesce(max(id), 0) FROM interval_block;

-- name: add_blocks
-- Of what is recent, with numbers from ?1 on: one for those that were shorter than ?2 microseconds, one for the others, and
-- the same of those that waited.
INSERT INTO interval_block (id, waited, first_number, last_number, from_us, base_us, to_us)
SELECT
    ?1 + (what & 2) + (to_us - from_us >= ?2),
    what >> 1 & 1,
    min(number),
    max(number),
    min(from_us),
    min(to_us),
    max(to_us)
FROM recent_interval
GROUP BY 1;

-- name: pack
-- What is recent into those blocks.
INSERT INTO packed_interval (block, resource, place, party, what, ended, length, gone, polls, doubt, statement)
SELECT
    b.id,
    i.resource,
    i.number - b.first_number,
    i.party,
    i.what,
    i.to_us - b.base_us,
    i.to_us - i.from_us,
    i.gone_us - i.to_us,
    i.polls,
    i.doubt,
    i.statement
FROM recent_interval AS i
INNER JOIN interval_block AS b ON ?1 + (i.what & 2) + (i.to_us - i.from_us >= ?2) = b.id
ORDER BY b.id, i.resource, i.number;

-- name: note_resources
-- When those that recent intervals name were seen.
UPDATE resource
SET
    first_us = min(coalesce(resource.first_us, s.first_us), s.first_us),
    last_us = max(coalesce(resource.last_us, s.last_us), s.last_us)
FROM (
    SELECT
        resource AS id,
        min(from_us) AS first_us,
        max(to_us) AS last_us
    FROM recent_interval
    GROUP BY resource
) AS s
WHERE resource.id = s.id;

-- name: note_parties
UPDATE party
SET
    first_us = min(coalesce(party.first_us, s.first_us), s.first_us),
    last_us = max(coalesce(party.last_us, s.last_us), s.last_us)
FROM (
    SELECT
        party AS id,
        min(from_us) AS first_us,
        max(to_us) AS last_us
    FROM recent_interval
    GROUP BY party
) AS s
WHERE party.id = s.id;

-- name: forget_recent
DELETE FROM recent_interval;

-- name: last_interval
SELECT
    max(
        coalesce((SELECT max(number) FROM recent_interval), 0), coalesce((SELECT max(last_number) FROM interval_block), 0)
    );

-- name: add_open
INSERT INTO open_interval (id, resource, from_us, party, mode, waited, from_exact, first_poll, doubt, statement)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10);

-- name: drop_open
DELETE FROM open_interval WHERE id = ?1;

-- name: end_open
-- Those that a program left open when it was cut off end as they were seen last; nobody knows when they went.
INSERT INTO recent_interval (number, resource, party, what, from_us, to_us, gone_us, polls, doubt, statement)
SELECT
    ?1 + row_number() OVER (ORDER BY o.id),
    o.resource,
    o.party,
    m.id * 4 + o.waited * 2 + o.from_exact,
    o.from_us,
    (SELECT seen_us FROM segment ORDER BY id DESC LIMIT 1),
    NULL,
    (SELECT max(f.number) FROM frame AS f) - o.first_poll + 1,
    o.doubt,
    o.statement
FROM open_interval AS o
INNER JOIN lock_mode AS m ON o.mode = m.name;

-- name: forget_open
DELETE FROM open_interval;

-- name: history
-- Who held locks, or waited for them. ?1 an array in JSON of their numbers, ?2 and ?3 the time, ?4 how many at most, -1: all.
-- Each is looked up in each block; by way of seen_interval all of them would be gone through.
SELECT
    r.kind,
    r.database_name,
    r.name,
    i.waited,
    m.name,
    p.session,
    p.started_us,
    p.user_name,
    p.program,
    p.host,
    i.from_us,
    i.from_exact,
    i.to_us,
    i.gone_us,
    r.identity,
    i.goes_on,
    i.polls,
    i.doubt,
    i.number
FROM (
    SELECT
        i.resource,
        i.party,
        i.what >> 2 AS mode,
        b.waited,
        b.base_us + i.ended - i.length AS from_us,
        i.what & 1 AS from_exact,
        b.base_us + i.ended AS to_us,
        b.base_us + i.ended + i.gone AS gone_us,
        0 AS goes_on,
        i.polls,
        i.doubt,
        b.first_number + i.place AS number
    FROM json_each(?1) AS n
    CROSS JOIN interval_block AS b
    CROSS JOIN packed_interval AS i ON b.id = i.block AND n.value = i.resource
    WHERE b.to_us >= ?2 AND b.from_us <= ?3
    UNION ALL
    SELECT
        i.resource,
        i.party,
        i.what >> 2,
        i.what >> 1 & 1,
        i.from_us,
        i.what & 1,
        i.to_us,
        i.gone_us,
        0,
        i.polls,
        i.doubt,
        i.number
    FROM recent_interval AS i
    WHERE i.resource IN (SELECT n.value FROM json_each(?1) AS n)
    UNION ALL
    SELECT
        o.resource,
        o.party,
        (SELECT e.id FROM lock_mode AS e WHERE e.name = o.mode),
        o.waited,
        o.from_us,
        o.from_exact,
        (SELECT g.seen_us FROM segment AS g ORDER BY g.id DESC LIMIT 1),
        NULL,
        1,
        (SELECT max(f.number) FROM frame AS f) - o.first_poll + 1,
        o.doubt,
        o.id
    FROM json_each(?1) AS n
    CROSS JOIN open_interval AS o ON n.value = o.resource
) AS i
CROSS JOIN resource AS r ON i.resource = r.id
CROSS JOIN party AS p ON i.party = p.id
CROSS JOIN lock_mode AS m ON i.mode = m.id
WHERE i.from_us <= ?3 AND i.to_us >= ?2
ORDER BY 11, 19
LIMIT ?4;

-- name: polls
-- Those between ?1 and ?2, and the nearest one on either side.
SELECT
    number,
    segment,
    taken_us,
    interval_ms
FROM frame
WHERE taken_us BETWEEN coalesce((SELECT max(f.taken_us) FROM frame AS f WHERE f.taken_us <= ?1), ?1)
    AND coalesce((SELECT min(f.taken_us) FROM frame AS f WHERE f.taken_us > ?2), ?2)
ORDER BY taken_us;

-- name: pieces
-- Frames without a gap between them, as first and last ones, that are of segments which meet the time from ?1 to ?2, or of the
-- last one before. With the first and the last one of them in that time.
SELECT
    p.segment,
    p.first_number,
    p.first_us,
    p.last_number,
    p.last_us,
    a.number,
    a.taken_us,
    b.number,
    b.taken_us
FROM (
    SELECT
        g.segment,
        g.number AS first_number,
        g.taken_us AS first_us,
        l.number AS last_number,
        l.taken_us AS last_us
    FROM segment AS s
    CROSS JOIN frame AS g
    CROSS JOIN frame AS l
    WHERE ((s.seen_us >= ?1 AND s.began_us <= ?2) OR s.id = (
        SELECT f.segment FROM frame AS f WHERE f.taken_us <= ?1 ORDER BY f.taken_us DESC, f.number DESC LIMIT 1
    ))
    AND g.after_gap > 0 AND g.segment = s.id AND g.taken_us <= ?2 AND g.taken_us >= coalesce(
        (SELECT max(b.taken_us) FROM frame AS b WHERE b.after_gap > 0 AND b.segment = s.id AND b.taken_us <= ?1), ?1
    )
    AND l.number = (
        SELECT max(e.number)
        FROM frame AS e
        WHERE e.number < coalesce(
            (
                SELECT n.number
                FROM frame AS n
                WHERE n.after_gap > 0 AND (n.segment, n.taken_us) > (g.segment, g.taken_us)
                ORDER BY n.segment, n.taken_us
                LIMIT 1
            ), 9223372036854775807
        )
    )
) AS p
LEFT JOIN frame AS a ON a.number = CASE
    WHEN p.first_us >= ?1 THEN p.first_number
    ELSE (
        SELECT f.number
        FROM frame AS f
        WHERE f.taken_us >= ?1 AND f.number BETWEEN p.first_number AND p.last_number
        ORDER BY f.taken_us
        LIMIT 1
    )
END
LEFT JOIN frame AS b ON b.number = CASE
    WHEN p.last_us <= ?2 THEN p.last_number
    ELSE (
        SELECT f.number
        FROM frame AS f
        WHERE f.taken_us <= ?2 AND f.number BETWEEN p.first_number AND p.last_number
        ORDER BY f.taken_us DESC
        LIMIT 1
    )
END
ORDER BY p.first_number;

-- name: next_gap
-- The next frame behind a gap.
SELECT g.taken_us
FROM frame AS g
WHERE g.after_gap > 0 AND g.taken_us > ?1 AND g.taken_us <= (SELECT l.taken_us FROM frame AS l ORDER BY l.number DESC LIMIT 1)
ORDER BY g.taken_us
LIMIT 1;

-- name: previous_gap
SELECT g.taken_us
FROM frame AS g
WHERE g.after_gap > 0 AND g.taken_us < ?1
ORDER BY g.taken_us DESC
LIMIT 1;

-- name: what_follows
-- The frame after that of the number ?1, whether it is of the same segment, and how the segment of the first one ended.
SELECT
    n.number,
    n.segment = f.segment,
    s.end_reason
FROM frame AS f
LEFT JOIN segment AS s ON f.segment = s.id
LEFT JOIN frame AS n ON n.number = (SELECT min(g.number) FROM frame AS g WHERE g.number > ?1)
WHERE f.number = ?1;

-- name: modes
SELECT
    id,
    name
FROM lock_mode;

-- name: intervals
-- Who waited (?3: 1) or held anything (0) at some time between ?1 and ?2. There may be millions: they are not read by way of
-- seen_interval, and have the numbers of their modes.
SELECT
    i.resource,
    i.party,
    i.what >> 2,
    b.base_us + i.ended - i.length,
    i.what & 1,
    b.base_us + i.ended,
    b.base_us + i.ended + i.gone,
    i.polls,
    i.doubt,
    NULL,
    i.statement
FROM interval_block AS b
CROSS JOIN packed_interval AS i ON b.id = i.block
WHERE b.waited = ?3 AND b.to_us >= ?1 AND b.from_us <= ?2
    AND b.base_us + i.ended >= ?1 AND b.base_us + i.ended - i.length <= ?2
UNION ALL
SELECT
    i.resource,
    i.party,
    i.what >> 2,
    i.from_us,
    i.what & 1,
    i.to_us,
    i.gone_us,
    i.polls,
    i.doubt,
    NULL,
    i.statement
FROM recent_interval AS i
WHERE (i.what >> 1 & 1) = ?3 AND i.to_us >= ?1 AND i.from_us <= ?2
UNION ALL
SELECT
    o.resource,
    o.party,
    (SELECT e.id FROM lock_mode AS e WHERE e.name = o.mode),
    o.from_us,
    o.from_exact,
    s.seen_us,
    NULL,
    l.number - o.first_poll + 1,
    o.doubt,
    NULL,
    o.statement
FROM open_interval AS o
CROSS JOIN (SELECT g.seen_us FROM segment AS g ORDER BY g.id DESC LIMIT 1) AS s
CROSS JOIN (SELECT max(f.number) AS number FROM frame AS f) AS l
WHERE o.waited = ?3 AND s.seen_us >= ?1 AND o.from_us <= ?2;

-- name: lock_of_number
SELECT
    kind,
    database_name,
    identity,
    name
FROM resource
WHERE id = ?1;

-- name: resources_of_kinds
SELECT id FROM resource WHERE kind IN (?1, ?2);

-- name: resources_named
-- ?1 an array of names in JSON.
SELECT id FROM resource WHERE name IN (SELECT n.value FROM json_each(?1) AS n);

-- name: resources_identified
-- By what the engine knows it by; ?4 its name, empty: whatever it was called.
SELECT id FROM resource WHERE kind = ?1 AND database_name = ?2 AND identity = ?3 AND (?4 = '' OR name = ?4);

-- name: locks_named
-- What has been seen by that name.
SELECT
    kind,
    database_name,
    identity,
    name
FROM resource
WHERE name = ?1
ORDER BY kind, database_name, identity;

-- name: lock_names_like
-- Names of locks that were seen. ?1 is a pattern of LIKE, whose upper and lower case are the same; ?2 how many at most.
SELECT DISTINCT name
FROM resource
WHERE name LIKE ?1 ESCAPE '\'
ORDER BY 1
LIMIT ?2;

-- name: party_of_number
SELECT
    session,
    started_us,
    user_name,
    program,
    host
FROM party
WHERE id = ?1;

-- name: lives
-- The sessions that had the number ?1, each once.
SELECT
    started_us,
    user_name,
    program,
    host
FROM party
WHERE session = ?1 AND started_us > 0
ORDER BY started_us;

-- name: session_life
-- What the session ?1 that began at ?2 held and waited for. Rows of lock tables do not say when their session began: those are
-- its own that were there before the next session got its number. Only for them is ?2 compared with times of polls: some
-- servers tell in local time when a session began.
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
    i.gone_us,
    r.identity,
    i.goes_on,
    i.polls,
    i.doubt
FROM seen_interval AS i
CROSS JOIN party AS p ON i.party = p.id
CROSS JOIN resource AS r ON i.resource = r.id
WHERE i.block_from_us <= ?4 AND i.block_to_us >= ?3 AND i.from_us <= ?4 AND i.to_us >= ?3
    AND i.party IN (SELECT q.id FROM party AS q WHERE q.session = ?1 AND q.started_us IN (?2, 0))
    AND (
        p.started_us = ?2 OR (
            i.to_us >= ?2 AND i.from_us < (
                SELECT coalesce(min(n.started_us), ?4 + 1) FROM party AS n WHERE n.session = ?1 AND n.started_us > ?2
            )
        )
    )
ORDER BY 11
LIMIT ?5;

-- name: texts_like
-- Those that are searched (text_searched), by when they were used last.
SELECT
    value,
    first_used,
    last_used
FROM text
WHERE substr(value, 1, 12) NOT IN ('transaction ', 'virtual tran') AND value LIKE ?1 ESCAPE '\'
ORDER BY last_used DESC
LIMIT ?2;

-- name: events_like
SELECT
    at_us,
    kind,
    what,
    detail
FROM event
WHERE kind <> 'report' AND what LIKE ?1 ESCAPE '\'
ORDER BY at_us DESC
LIMIT ?2;

-- name: times_of_frame
SELECT
    taken_us,
    noted_us
FROM frame
WHERE number = ?1;

-- name: key_frames
SELECT
    key_frame,
    taken_us,
    noted_us
FROM frame
WHERE number = key_frame
ORDER BY key_frame;

-- name: make_kept
-- What pins keep, for this connection: no two of them meet.
CREATE TEMP TABLE IF NOT EXISTS kept (to_us INTEGER PRIMARY KEY, from_us INTEGER NOT NULL);

-- name: forget_kept
DELETE FROM kept;

-- name: add_kept
INSERT INTO kept (from_us, to_us)
VALUES (?1, ?2);

-- name: drop_frames
DELETE FROM frame WHERE number BETWEEN ?1 AND ?2;

-- name: leave_gap
UPDATE frame SET after_gap = 2 WHERE number = ?1;

-- name: blocks_before
SELECT id FROM interval_block WHERE base_us < ?1 ORDER BY id;

-- name: block_after
SELECT id FROM interval_block WHERE id > ?1 ORDER BY id LIMIT 1;

-- name: drop_packed
-- Of the block ?2 the intervals in the places ?3 to ?4 that ended before ?1.
DELETE FROM packed_interval
WHERE block = ?2 AND place BETWEEN ?3 AND ?4 AND (SELECT b.base_us FROM interval_block AS b WHERE b.id = ?2) + ended < ?1
    AND coalesce(
        (
            SELECT k.from_us
            FROM kept AS k
            WHERE k.to_us >= (SELECT b.base_us FROM interval_block AS b WHERE b.id = ?2) + packed_interval.ended - packed_interval.length
            ORDER BY k.to_us
            LIMIT 1
        ) > (SELECT b.base_us FROM interval_block AS b WHERE b.id = ?2) + ended,
        1
    );

-- name: drop_recent
-- The last one stays: no number is given twice, a team's history may know the interval it had.
DELETE FROM recent_interval
WHERE to_us < ?1 AND number < (SELECT max(i.number) FROM recent_interval AS i)
    AND coalesce(
        (SELECT k.from_us FROM kept AS k WHERE k.to_us >= recent_interval.from_us ORDER BY k.to_us LIMIT 1) > to_us, 1
    );

-- name: drop_blocks
-- Those that have none any more; the last one tells which number was given last.
DELETE FROM interval_block
WHERE last_number < (SELECT max(b.last_number) FROM interval_block AS b)
    AND NOT EXISTS (SELECT 1 FROM packed_interval AS i WHERE i.block = interval_block.id);

-- name: drop_events
-- Numbers as of intervals.
DELETE FROM event
WHERE at_us < ?1 AND id < (SELECT max(e.id) FROM event AS e)
    AND coalesce((SELECT k.from_us FROM kept AS k WHERE k.to_us >= event.at_us ORDER BY k.to_us LIMIT 1) > at_us, 1);

-- name: surroundings_slice
-- Until when a slice of ?3 rows goes that is younger than ?1 and older than ?2; 0: there are none.
SELECT coalesce(max(taken_us), 0)
FROM (SELECT taken_us FROM surroundings WHERE taken_us > ?1 AND taken_us < ?2 ORDER BY taken_us LIMIT ?3);

-- name: drop_surroundings
-- Of a slice. Numbers as of intervals.
DELETE FROM surroundings
WHERE taken_us > ?1 AND taken_us <= ?2 AND id < (SELECT max(s.id) FROM surroundings AS s)
    AND coalesce((SELECT k.from_us FROM kept AS k WHERE k.to_us >= surroundings.taken_us ORDER BY k.to_us LIMIT 1) > taken_us, 1);

-- name: text_after
SELECT id FROM text WHERE id > ?1 ORDER BY id LIMIT 1;

-- name: drop_texts
-- Of those from ?2 to ?3 the ones that no frame uses any more; a pinned frame keeps all that were used since. The last one
-- stays: no number is given twice, a reader may know the text it had.
DELETE FROM text WHERE id BETWEEN ?2 AND ?3 AND last_used < ?1 AND id < (SELECT max(t.id) FROM text AS t);

-- name: make_used_resources
-- Those that packed intervals name, for this connection.
CREATE TEMP TABLE IF NOT EXISTS used_resource (id INTEGER PRIMARY KEY);

-- name: make_used_parties
CREATE TEMP TABLE IF NOT EXISTS used_party (id INTEGER PRIMARY KEY);

-- name: forget_used_resources
DELETE FROM "temp".used_resource;

-- name: forget_used_parties
DELETE FROM "temp".used_party;

-- name: use_resources
INSERT OR IGNORE INTO "temp".used_resource (id)
SELECT DISTINCT resource FROM packed_interval WHERE block = ?1;

-- name: use_parties
INSERT OR IGNORE INTO "temp".used_party (id)
SELECT DISTINCT party FROM packed_interval WHERE block = ?1;

-- name: drop_resources
-- Those from ?1 to ?2 that no interval names any more; numbers as of texts.
DELETE FROM resource
WHERE id BETWEEN ?1 AND ?2 AND id < (SELECT max(r.id) FROM resource AS r)
    AND id NOT IN (SELECT u.id FROM "temp".used_resource AS u)
    AND id NOT IN (SELECT i.resource FROM recent_interval AS i)
    AND id NOT IN (SELECT o.resource FROM open_interval AS o);

-- name: drop_parties
DELETE FROM party
WHERE id BETWEEN ?1 AND ?2 AND id < (SELECT max(p.id) FROM party AS p)
    AND id NOT IN (SELECT u.id FROM "temp".used_party AS u)
    AND id NOT IN (SELECT i.party FROM recent_interval AS i)
    AND id NOT IN (SELECT o.party FROM open_interval AS o);

-- name: drop_segments
DELETE FROM segment
WHERE seen_us < ?1 AND NOT EXISTS (SELECT 1 FROM frame WHERE frame.taken_us BETWEEN segment.began_us AND segment.seen_us);

-- name: integrity
-- What SQLite finds wrong with the file, line by line; "ok" if nothing is. With it each page can be written, too.
PRAGMA integrity_check;

-- name: free_pages
-- How many more pages are free than an eighth of the file; none in a file that can't give pages back.
SELECT iif(v.auto_vacuum = 2, f.freelist_count - p.page_count / 8, 0)
FROM pragma_page_count AS p, pragma_freelist_count AS f, pragma_auto_vacuum AS v;

-- name: give_back
-- Some free pages, to the disk: others move from the end of the file to their places.
PRAGMA incremental_vacuum(100);

-- name: strays
-- How many intervals can't be right: they name a lock, a session, a mode or a block that is not there, or end before they
-- begin. (Locks and sessions stand in an index, too: `integrity` compares all that is stored of them.)
SELECT
    (
        SELECT count(*)
        FROM packed_interval AS i
        LEFT JOIN interval_block AS b ON i.block = b.id
        WHERE b.id IS NULL OR i.length < 0 OR i.ended < 0 OR i.place < 0 OR i.place > b.last_number - b.first_number
            OR b.base_us + i.ended > b.to_us OR b.base_us + i.ended - i.length < b.from_us
            OR NOT EXISTS (SELECT 1 FROM resource AS r WHERE r.id = i.resource)
            OR NOT EXISTS (SELECT 1 FROM party AS p WHERE p.id = i.party)
            OR NOT EXISTS (SELECT 1 FROM lock_mode AS m WHERE m.id = i.what >> 2)
    ) + (
        SELECT count(*)
        FROM recent_interval AS i
        WHERE i.to_us < i.from_us
            OR NOT EXISTS (SELECT 1 FROM resource AS r WHERE r.id = i.resource)
            OR NOT EXISTS (SELECT 1 FROM party AS p WHERE p.id = i.party)
            OR NOT EXISTS (SELECT 1 FROM lock_mode AS m WHERE m.id = i.what >> 2)
    ) + (
        SELECT count(*)
        FROM open_interval AS o
        WHERE NOT EXISTS (SELECT 1 FROM resource AS r WHERE r.id = o.resource)
            OR NOT EXISTS (SELECT 1 FROM party AS p WHERE p.id = o.party)
    );

-- name: used_bytes
SELECT (p.page_count - f.freelist_count) * s.page_size
FROM pragma_page_count AS p, pragma_freelist_count AS f, pragma_page_size AS s;
