-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What is read of a damaged recording: rows from a number on, by the table itself. No index is asked: it may lead to the
-- wrong rows, or leave some out. The first column is the number.

-- name: columns
-- How many a table has; and of them those that are made when they are read: code would run.
SELECT
    count(*),
    count(CASE WHEN hidden <> 0 THEN 1 END)
FROM pragma_table_xinfo(?1);

-- name: texts
SELECT
    id,
    value,
    used
FROM text
WHERE id >= ?1
ORDER BY id
LIMIT ?2;

-- name: segments
SELECT
    id,
    began_us,
    seen_us,
    host,
    process_id,
    end_reason
FROM segment
WHERE id >= ?1
ORDER BY id
LIMIT ?2;

-- name: frames
SELECT
    number,
    segment,
    key_frame,
    taken_us,
    noted_us,
    data
FROM frame
WHERE number >= ?1
ORDER BY number
LIMIT ?2;

-- name: events
SELECT
    id,
    at_us,
    noted_us,
    kind,
    what,
    detail,
    source_key
FROM event
WHERE id >= ?1
ORDER BY id
LIMIT ?2;

-- name: pins
SELECT
    id,
    from_us,
    to_us,
    why
FROM pin
WHERE id >= ?1
ORDER BY id
LIMIT ?2;
