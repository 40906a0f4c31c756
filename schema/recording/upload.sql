-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What is read of a recording's file to bring it to a team's history.

-- name: frames_after
SELECT
    number,
    segment,
    key_frame,
    taken_us,
    noted_us,
    interval_ms,
    after_gap,
    sessions,
    locks,
    waiting,
    longest_ms,
    longest_exact,
    heads,
    head_text,
    data
FROM frame
WHERE number > ?1
ORDER BY number
LIMIT ?2;

-- name: pending
-- How many there are behind ?1, and when the first of them was noted.
SELECT
    (SELECT max(l.number) FROM frame AS l) - f.number + 1,
    f.noted_us
FROM frame AS f
WHERE f.number > ?1
ORDER BY f.number
LIMIT 1;

-- name: frames_of
SELECT data
FROM frame
WHERE number BETWEEN ?1 AND ?2
ORDER BY number;

-- name: times_of
SELECT
    taken_us,
    noted_us
FROM frame
WHERE number = ?1;

-- name: segments_until
SELECT
    id,
    began_us,
    seen_us,
    noted_us,
    host,
    process_id,
    end_reason
FROM segment
WHERE id BETWEEN ?1 AND ?2
ORDER BY id;

-- name: intervals_between
-- Those from number ?3 on that ended between ?1 and ?2.
SELECT
    number,
    resource,
    party,
    from_us,
    mode,
    waited,
    from_exact,
    to_us,
    gone_us,
    polls,
    doubt,
    statement
FROM seen_interval
WHERE goes_on = 0 AND block_last >= ?3 AND block_to_us >= ?1 AND number >= ?3 AND to_us BETWEEN ?1 AND ?2
ORDER BY 1;

-- name: intervals_numbered
SELECT
    number,
    resource,
    party,
    from_us,
    mode,
    waited,
    from_exact,
    to_us,
    gone_us,
    polls,
    doubt,
    statement
FROM seen_interval
WHERE goes_on = 0 AND block_last >= ?1 AND number BETWEEN ?1 AND ?2
ORDER BY 1;

-- name: open_intervals
SELECT
    id,
    resource,
    party,
    from_us,
    mode,
    waited,
    from_exact,
    first_poll,
    doubt,
    statement
FROM open_interval
ORDER BY id;

-- name: resource
SELECT
    kind,
    database_name,
    identity,
    name
FROM resource
WHERE id = ?1;

-- name: party
SELECT
    session,
    started_us,
    user_name,
    program,
    host
FROM party
WHERE id = ?1;

-- name: surroundings_after
SELECT
    s.id,
    s.taken_us,
    m.kind,
    m.name,
    s.value,
    s.text
FROM surroundings AS s
INNER JOIN measure AS m ON s.measure = m.id
WHERE s.id > ?1
ORDER BY s.id
LIMIT ?2;

-- name: failure
SELECT detail
FROM event
WHERE id = ?1 AND kind = 'failure';

-- name: events_after
SELECT
    id,
    at_us,
    noted_us,
    kind,
    what,
    detail,
    source_key,
    checksum
FROM event
WHERE id > ?1
ORDER BY id
LIMIT ?2;
