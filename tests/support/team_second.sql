-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What {servers} servers, polled each second, bring into a team's history in a second: for each of them a batch, as its watcher
-- sends it. Three locks are taken and released on each server.
DO $$
DECLARE
    today CONSTANT date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
    now_us CONSTANT bigint := (extract(epoch FROM clock_timestamp()) * 1000000)::bigint;
    key bigint;
    n bigint;
BEGIN
    PERFORM lockscope_history.keep_days();
    FOR s IN 1..{servers} LOOP
        key := lockscope_history.begin_recording('m' || s, 'stock@db' || s, 'postgres', 1, 0, 'test', 'web-1', '', '');
        SELECT b.last_frame + 1 INTO STRICT n FROM lockscope_history.begin_batch(key, ARRAY[]::bigint []) AS b;
        INSERT INTO lockscope_history.frame (
            day, recording, number, segment, key_frame, taken_us, noted_us, interval_ms, after_gap, sessions, locks, waiting,
            longest_ms, longest_exact, heads, head_text, data
        )
        SELECT today, key, f, 1, (f - 1) / 60 * 60 + 1, now_us + f * 1000000, now_us, 1000, (f = 1)::integer, 40, 200, 3, 1000, 1, 1, 1,
            decode(repeat('ab', CASE WHEN f % 60 = 1 THEN 2000 ELSE 200 END), 'hex')
        FROM generate_series(n, n) AS f;
        INSERT INTO lockscope_history.lock_interval (
            day, recording, number, resource, party, mode, waited, from_us, from_exact, to_us, gone_us, polls
        )
        SELECT today, key, f, f % 60, f % 40, 'X', (f % 10 = 0)::integer, now_us + f * 300000, 1, now_us + f * 310000, NULL, 1
        FROM generate_series(3 * n - 2, 3 * n) AS f;
        INSERT INTO lockscope_history.surroundings (day, recording, id, taken_us, kind, name, value, text)
        SELECT today, key, f, now_us + f * 1000000, 'active', '', 3, '' FROM generate_series(n, n) AS f;
        PERFORM lockscope_history.end_batch(key, jsonb_build_object('frame', n, 'taken', now_us, 'noted', now_us, 'key_frame', 1,
            'day', today, 'interval', 3 * n, 'event', 0, 'surroundings', n, 'segments', jsonb_build_array(jsonb_build_object(
                'id', 1, 'began', now_us, 'seen', now_us, 'noted', now_us, 'host', 'web-1', 'process', 1))));
    END LOOP;
END $$;
