-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A week of a team's history with 100 servers, as watchers would have brought it: by time, so that the rows of one server lie
-- between those of all others. Nothing is analysed. Server 42 was polled every {dense} seconds, the others every {sparse}.
DO $$
DECLARE
    parent text;
    part text;
BEGIN
    PERFORM lockscope_history.keep_days();
    FOREACH parent IN ARRAY ARRAY['frame', 'event', 'surroundings', 'stored_text', 'resource', 'party', 'lock_interval'] LOOP
        FOR ago IN 1..6 LOOP
            part := parent || '_' || to_char((clock_timestamp() AT TIME ZONE 'UTC')::date - ago, 'YYYYMMDD');
            PERFORM lockscope_history.make_part(parent, part);
            PERFORM lockscope_history.attach_part(parent, part, (clock_timestamp() AT TIME ZONE 'UTC')::date - ago);
        END LOOP;
        EXECUTE format('ALTER TABLE lockscope_history.%I DISABLE TRIGGER only_own', parent);
    END LOOP;
    PERFORM lockscope_history.begin_recording('r' || s, 'shop@db' || s, 'postgres', 1, 0, 'test', 'web-1', '', '')
    FROM generate_series(1, 100) AS s;
END $$;

CREATE TEMPORARY TABLE poll AS
SELECT
    (clock_timestamp() AT TIME ZONE 'UTC')::date - 6 + (f - 1) / 86400 AS day,
    s::bigint AS recording,
    (CASE WHEN s = 42 THEN f / {dense} ELSE f / {sparse} END)::bigint AS number,
    (extract(epoch FROM (clock_timestamp() AT TIME ZONE 'UTC')::date - 6) * 1000000)::bigint + f * 1000000::bigint AS at_us
FROM generate_series({dense}, 604800, {dense}) AS f
CROSS JOIN generate_series(1, 100) AS s
WHERE s = 42 OR f % {sparse} = 0;

INSERT INTO lockscope_history.segment (recording, id, began_us, seen_us, noted_us, host, process_id, end_reason)
SELECT p.recording, 1, min(p.at_us), max(p.at_us), min(p.at_us), 'web-1', 1, NULL FROM poll AS p GROUP BY p.recording;

-- Every hundredth key frame is behind a gap.
INSERT INTO lockscope_history.frame (
    day, recording, number, segment, key_frame, taken_us, noted_us, interval_ms, after_gap, sessions, locks, waiting, longest_ms,
    longest_exact, heads, head_text, data
)
SELECT
    p.day, p.recording, p.number, 1, (p.number - 1) / 60 * 60 + 1, p.at_us, p.at_us, 1000, (p.number % 6000 = 1)::integer, 40, 200,
    CASE WHEN p.number % 20 = 0 THEN 3 ELSE 0 END, 1000, 1, 1, 1, decode(repeat('ab', 150), 'hex')
FROM poll AS p;

INSERT INTO lockscope_history.lock_interval (
    day, recording, number, resource, party, mode, waited, from_us, from_exact, to_us, gone_us, polls
)
SELECT
    p.day, p.recording, p.number, 1 + p.number * 7919 % 200, 1 + p.number * 104729 % 500, 'X', (p.number % 10 = 0)::integer, p.at_us,
    1, p.at_us + 5000000 * (p.number % 13), p.at_us + 6000000 * (p.number % 13), 5
FROM poll AS p;

INSERT INTO lockscope_history.surroundings (day, recording, id, taken_us, kind, name, value, text)
SELECT p.day, p.recording, p.number, p.at_us, 'active', '', 3, '' FROM poll AS p WHERE p.recording <> 42 OR p.number % 10 = 0;

INSERT INTO lockscope_history.event (day, recording, id, at_us, noted_us, kind, what, detail)
SELECT p.day, p.recording, p.number, p.at_us, p.at_us, 'failure', 'No answer', '' FROM poll AS p
WHERE p.number % CASE WHEN p.recording = 42 THEN 1000 ELSE 10 END = 0;

INSERT INTO lockscope_history.resource (day, recording, id, kind, database_name, name, identity)
SELECT d.day, s, r, 'table', 'shop', 'public.t' || r, r::text
FROM (SELECT DISTINCT p.day FROM poll AS p) AS d CROSS JOIN generate_series(1, 100) AS s CROSS JOIN generate_series(1, 200) AS r;

INSERT INTO lockscope_history.party (day, recording, id, session, started_us, user_name, program, host)
SELECT d.day, s, p, 1000 + p, p, 'shop', 'web', 'web-1'
FROM (SELECT DISTINCT p.day FROM poll AS p) AS d CROSS JOIN generate_series(1, 100) AS s CROSS JOIN generate_series(1, 500) AS p;

INSERT INTO lockscope_history.stored_text (day, recording, id, value)
SELECT r.day, r.recording, r.id, r.name FROM lockscope_history.resource AS r;

INSERT INTO lockscope_history.open_interval (day, recording, id, resource, party, mode, waited, from_us, from_exact)
SELECT max(p.day), p.recording, 1, 17, 17, 'X', 0, max(p.at_us), 1 FROM poll AS p GROUP BY p.recording;

DROP TABLE poll;
