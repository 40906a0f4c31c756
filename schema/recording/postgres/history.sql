-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What is written into a team's history and read from it; its tables are explained in install.sql. What a reader asks has a
-- twin of the same name in schema/recording/recording.sql, with the same columns; $1 is the recording here.

-- name: exists
-- Without rights on the schema this is an error, not "no".
SELECT to_regclass('lockscope_history.schema_version') IS NOT NULL;

-- name: version
SELECT left(v.version::text, 40) FROM lockscope_history.schema_version AS v ORDER BY v.version LIMIT 10;

-- name: check
-- What keeps this session from using the schema: as schema/check of the engine, for tables of this schema. One row a fault.
-- $1: another role that the person in front of us trusts, or ''. {trusted}: trust/owners; {closure}: trust/closure.
WITH trusted AS MATERIALIZED (
    {trusted}
),

ours AS (
    SELECT
        n.oid,
        n.nspowner,
        n.nspacl
    FROM pg_catalog.pg_namespace AS n
    WHERE n.nspname = 'lockscope_history'
),

owned AS (
    SELECT
        'pg_catalog.pg_class'::pg_catalog.regclass AS catalogue,
        c.oid AS object,
        c.relowner AS owner
    FROM pg_catalog.pg_class AS c
    INNER JOIN ours ON c.relnamespace = ours.oid
    UNION ALL
    SELECT
        'pg_catalog.pg_proc'::pg_catalog.regclass,
        p.oid,
        p.proowner
    FROM pg_catalog.pg_proc AS p
    INNER JOIN ours ON p.pronamespace = ours.oid
    UNION ALL
    SELECT
        'pg_catalog.pg_type'::pg_catalog.regclass,
        t.oid,
        t.typowner
    FROM pg_catalog.pg_type AS t
    INNER JOIN ours ON t.typnamespace = ours.oid
    UNION ALL
    SELECT
        'pg_catalog.pg_operator'::pg_catalog.regclass,
        o.oid,
        o.oprowner
    FROM pg_catalog.pg_operator AS o
    INNER JOIN ours ON o.oprnamespace = ours.oid
),

tables AS (
    SELECT
        c.oid,
        c.relkind,
        c.relrowsecurity,
        c.relowner,
        c.relacl
    FROM pg_catalog.pg_class AS c
    INNER JOIN ours ON c.relnamespace = ours.oid
    WHERE c.relkind IN ('r', 'p', 'f', 'm')
),

-- The others are below one of these.
roots AS MATERIALIZED (
    SELECT
        c.oid,
        true AS changes
    FROM pg_catalog.pg_class AS c
    INNER JOIN ours ON c.relnamespace = ours.oid
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
)

SELECT
    'schema lockscope_history' AS object,
    pg_catalog.pg_get_userbyid(ours.nspowner)::text AS owner,
    CASE
        WHEN (SELECT r.rolsuper FROM pg_catalog.pg_roles AS r WHERE r.rolname = current_user)
            THEN 'its owner is no superuser, and you are: its functions would act with your rights'
        ELSE 'its owner is neither you nor a role of yours, nor the owner of the database, nor a superuser'
    END AS fault
FROM ours
WHERE ours.nspowner NOT IN (SELECT t.oid FROM trusted AS t)
UNION ALL
SELECT DISTINCT
    f.what,
    f.whose,
    f.fault
FROM (
    {closure}
) AS f
UNION ALL
SELECT
    pg_catalog.pg_describe_object(owned.catalogue, owned.object, 0),
    pg_catalog.pg_get_userbyid(owned.owner)::text,
    'it does not belong to the owner of the schema'
FROM owned
CROSS JOIN ours
WHERE owned.owner <> ours.nspowner
UNION ALL
SELECT
    t.tgname::text || ' on ' || t.tgrelid::pg_catalog.regclass::text,
    pg_catalog.pg_get_userbyid(p.proowner)::text,
    'a trigger that is not Lockscope''s'
FROM pg_catalog.pg_trigger AS t
INNER JOIN tables ON t.tgrelid = tables.oid
INNER JOIN ours ON true
INNER JOIN pg_catalog.pg_proc AS p ON t.tgfoid = p.oid
WHERE NOT t.tgisinternal AND (p.pronamespace <> ours.oid OR p.proowner <> ours.nspowner)
UNION ALL
SELECT
    tables.oid::pg_catalog.regclass::text,
    pg_catalog.pg_get_userbyid(tables.relowner)::text,
    'no plain table: it has rules, row security or columns of foreign types'
FROM tables
WHERE tables.relkind IN ('f', 'm') OR tables.relrowsecurity
    OR EXISTS (SELECT FROM pg_catalog.pg_rewrite AS w WHERE w.ev_class = tables.oid)
    OR EXISTS (
        SELECT FROM pg_catalog.pg_attribute AS a
        INNER JOIN pg_catalog.pg_type AS t ON a.atttypid = t.oid
        INNER JOIN pg_catalog.pg_namespace AS n ON t.typnamespace = n.oid
        WHERE a.attrelid = tables.oid AND a.attnum > 0 AND n.nspname <> 'pg_catalog'
    )
UNION ALL
SELECT
    'schema lockscope_history',
    CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE pg_catalog.pg_get_userbyid(a.grantee)::text END,
    'may create objects in it'
FROM ours
CROSS JOIN LATERAL pg_catalog.aclexplode(ours.nspacl) AS a
WHERE a.privilege_type = 'CREATE' AND a.grantee <> ours.nspowner
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.oid = a.grantee AND r.rolsuper)
UNION ALL
SELECT
    tables.oid::pg_catalog.regclass::text,
    CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE pg_catalog.pg_get_userbyid(a.grantee)::text END,
    'may put triggers on it'
FROM tables
INNER JOIN ours ON true
CROSS JOIN LATERAL pg_catalog.aclexplode(tables.relacl) AS a
WHERE a.privilege_type = 'TRIGGER' AND a.grantee <> ours.nspowner
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.oid = a.grantee AND r.rolsuper)
ORDER BY 1, 2, 3;

-- name: standing
-- Whether this login may write; read; change; whether it is a superuser; whether nobody may write at present; its name; the time.
SELECT
    (
        SELECT bool_and(pg_catalog.has_table_privilege(c.oid, 'INSERT'))
        FROM pg_catalog.pg_class AS c
        WHERE
            c.relnamespace = n.oid AND c.relname IN (
                'frame', 'event', 'surroundings', 'stored_text', 'resource', 'party', 'lock_interval', 'open_interval'
            )
    ) AND (
        SELECT bool_and(pg_catalog.has_function_privilege(p.oid, 'EXECUTE'))
        FROM pg_catalog.pg_proc AS p
        WHERE p.pronamespace = n.oid AND p.proname IN ('begin_recording', 'begin_batch', 'sent', 'end_batch', 'keep_days')
    ),
    (
        SELECT bool_or(pg_catalog.has_table_privilege(c.oid, 'SELECT'))
        FROM pg_catalog.pg_class AS c
        WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p') AND c.relname <> 'schema_version'
    ),
    pg_catalog.pg_has_role(n.nspowner, 'MEMBER') OR (
        SELECT bool_or(pg_catalog.has_table_privilege(c.oid, 'UPDATE, DELETE, TRUNCATE, TRIGGER'))
        FROM pg_catalog.pg_class AS c
        WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p')
    ),
    (SELECT r.rolsuper FROM pg_catalog.pg_roles AS r WHERE r.rolname = current_user),
    pg_catalog.pg_is_in_recovery() OR pg_catalog.current_setting('transaction_read_only') = 'on',
    current_user::text,
    (extract(EPOCH FROM pg_catalog.clock_timestamp()) * 1000000)::bigint
FROM pg_catalog.pg_namespace AS n
WHERE n.nspname = 'lockscope_history';

-- name: begin_recording
SELECT lockscope_history.begin_recording($1, $2, $3, $4::bigint, $5::integer, $6, $7, $8, $9);

-- name: begin_batch
SELECT
    b.last_frame,
    b.last_taken_us,
    b.last_noted_us,
    b.last_key_frame,
    b.last_day::text,
    b.last_day_is_there,
    b.last_interval,
    b.last_event,
    b.last_surroundings,
    b.today::text,
    b.today_is_there
FROM lockscope_history.begin_batch($1::bigint, $2::bigint []) AS b;

-- name: sent
SELECT
    s.what,
    s.id
FROM lockscope_history.sent($1::bigint, $2::date) AS s;

-- name: end_batch
SELECT lockscope_history.end_batch($1::bigint, $2::jsonb);

-- name: keep_days
SELECT lockscope_history.keep_days();

-- name: copy_frames
COPY lockscope_history.frame (
    day, recording, number, segment, key_frame, taken_us, noted_us, interval_ms, after_gap, sessions, locks, waiting, longest_ms,
    longest_exact, heads, head_text, data
) FROM STDIN;

-- name: copy_events
COPY lockscope_history.event (day, recording, id, at_us, noted_us, kind, what, detail, source_key) FROM STDIN;

-- name: copy_texts
COPY lockscope_history.stored_text (day, recording, id, value, bytes) FROM STDIN;

-- name: copy_resources
COPY lockscope_history.resource (day, recording, id, kind, database_name, identity, name) FROM STDIN;

-- name: copy_parties
COPY lockscope_history.party (day, recording, id, session, started_us, user_name, program, host) FROM STDIN;

-- name: copy_intervals
COPY lockscope_history.lock_interval (
    day, recording, number, resource, party, from_us, mode, waited, from_exact, to_us, gone_us, polls, doubt, statement
) FROM STDIN;

-- name: copy_open
COPY lockscope_history.open_interval (
    day, recording, id, resource, party, from_us, mode, waited, from_exact, first_poll, doubt, statement
) FROM STDIN;

-- name: copy_surroundings
COPY lockscope_history.surroundings (day, recording, id, taken_us, kind, name, value, text) FROM STDIN;

-- name: recordings
-- Those that were written last first, 500 of each login: nobody hides those of others behind his own. With the first and the
-- last snapshot that are there, and the time since the last batch by the history's clock. Where nothing came, no day is asked;
-- the last snapshot is of the last day, unless only what is pinned is left.
SELECT
    r.key,
    r.id,
    r.server,
    r.engine,
    r.began_us,
    r.redacted,
    r.program,
    r.host,
    r.writer::text,
    CASE
        WHEN r.last_frame > 0 THEN coalesce(
            (
                SELECT f.taken_us
                FROM lockscope_history.frame AS f
                WHERE f.recording = r.key AND f.day = r.last_day
                ORDER BY f.number DESC
                LIMIT 1
            ),
            (SELECT f.taken_us FROM lockscope_history.frame AS f WHERE f.recording = r.key ORDER BY f.number DESC LIMIT 1)
        )
    END,
    r.place,
    r.cluster,
    CASE
        WHEN r.last_frame > 0 THEN (
            SELECT f.taken_us
            FROM lockscope_history.frame AS f
            WHERE f.recording = r.key
            ORDER BY f.number
            LIMIT 1
        )
    END,
    (extract(EPOCH FROM clock_timestamp() - r.written_at) * 1000000)::bigint
FROM (
    SELECT
        w.*,
        row_number() OVER (PARTITION BY w.writer ORDER BY w.written_at DESC, w.key DESC) AS place_of_writer
    FROM lockscope_history.recording AS w
) AS r
WHERE r.place_of_writer <= 500
ORDER BY r.written_at DESC, r.key DESC
LIMIT 10000;

-- name: texts_between
SELECT DISTINCT ON (t.id)
    t.id,
    t.value,
    encode(t.bytes, 'base64'),
    NULL
FROM lockscope_history.stored_text AS t
WHERE t.recording = $1::bigint AND t.id BETWEEN $2::bigint AND $3::bigint
    AND coalesce(octet_length(t.bytes), octet_length(t.value)) <= 67108864
ORDER BY t.id;

-- name: segments
SELECT
    s.began_us,
    s.seen_us,
    s.end_reason,
    s.host,
    s.id,
    s.process_id
FROM lockscope_history.segment AS s
WHERE s.recording = $1::bigint AND s.seen_us >= $2::bigint AND s.began_us <= $3::bigint
ORDER BY s.id
LIMIT $4::bigint;

-- name: frame_at
SELECT
    f.number,
    f.key_frame
FROM lockscope_history.frame AS f
WHERE f.recording = $1::bigint AND f.taken_us <= $2::bigint
ORDER BY f.taken_us DESC, f.number DESC
LIMIT 1;

-- name: first_frame
SELECT
    f.number,
    f.key_frame
FROM lockscope_history.frame AS f
WHERE f.recording = $1::bigint
ORDER BY f.number
LIMIT 1;

-- name: frames
-- As many as memory should have at once, at least one: a writer may have written anything.
SELECT
    f.number,
    encode(f.data, 'base64')
FROM (
    SELECT
        g.number,
        g.data,
        sum(octet_length(g.data)) OVER (ORDER BY g.number) - octet_length(g.data) AS bytes_before
    FROM lockscope_history.frame AS g
    WHERE g.recording = $1::bigint AND g.number BETWEEN $2::bigint AND $3::bigint
) AS f
WHERE f.bytes_before < 33554432 AND octet_length(f.data) <= 67108864
ORDER BY f.number;

-- name: places
SELECT
    f.number,
    f.key_frame,
    f.taken_us,
    f.noted_us,
    f.segment,
    f.interval_ms
FROM lockscope_history.frame AS f
WHERE f.recording = $1::bigint AND f.number > $2::bigint
ORDER BY f.number
LIMIT $3::bigint;

-- name: span
-- How many there are is known by their numbers: none is missing but before those behind a gap.
WITH latest AS MATERIALIZED (
    SELECT
        l.taken_us,
        l.number
    FROM lockscope_history.frame AS l
    WHERE l.recording = $1::bigint
    ORDER BY l.number DESC
    LIMIT 1
),

earliest AS MATERIALIZED (
    SELECT f.number
    FROM lockscope_history.frame AS f
    WHERE f.recording = $1::bigint
    ORDER BY f.number
    LIMIT 1
)

SELECT
    (
        SELECT f.taken_us
        FROM lockscope_history.frame AS f
        WHERE f.recording = $1::bigint AND f.taken_us <= (SELECT latest.taken_us FROM latest)
        ORDER BY f.number
        LIMIT 1
    ),
    (SELECT latest.taken_us FROM latest),
    coalesce((SELECT latest.number FROM latest) + 1 - (SELECT earliest.number FROM earliest) - (
        SELECT coalesce(sum(g.number - 1 - (
            SELECT b.number
            FROM lockscope_history.frame AS b
            WHERE b.recording = $1::bigint AND b.number < g.number
            ORDER BY b.number DESC
            LIMIT 1
        )), 0)::bigint
        FROM lockscope_history.behind_gap AS g
        WHERE g.recording = $1::bigint AND g.number > (SELECT earliest.number FROM earliest)
    ), 0);

-- name: snapshots
WITH stretch AS (
    SELECT
        min(f.taken_us) AS first_us,
        max(f.segment) AS segment,
        max(f.sessions) AS sessions,
        max(f.locks) AS locks,
        max(f.waiting) AS waiting,
        max(f.longest_ms) AS longest_ms,
        min(f.longest_exact) AS longest_exact,
        max(f.heads) AS heads,
        max(f.taken_us) AS last_us,
        $2::bigint + (f.taken_us - $2::bigint) / $4::bigint * $4::bigint
        + (max((f.waiting << 43) + (f.taken_us - $2::bigint) % $4::bigint) & 8796093022207) AS worst_us,
        count(*) AS frames
    FROM lockscope_history.frame AS f
    WHERE f.recording = $1::bigint AND f.taken_us BETWEEN $2::bigint AND $3::bigint
    GROUP BY (f.taken_us - $2::bigint) / $4::bigint
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
    coalesce(
        (
            SELECT w.head_text
            FROM lockscope_history.frame AS w
            WHERE w.recording = $1::bigint AND w.taken_us = s.worst_us
            ORDER BY w.waiting DESC
            LIMIT 1
        ), 0
    ),
    s.last_us,
    s.worst_us,
    s.frames
FROM stretch AS s
ORDER BY 1;

-- name: next_wait
SELECT f.taken_us
FROM lockscope_history.frame AS f
WHERE f.recording = $1::bigint AND f.taken_us > $2::bigint AND f.waiting > 0 AND f.longest_ms >= $3::bigint
    AND f.taken_us <= (
        SELECT l.taken_us FROM lockscope_history.frame AS l WHERE l.recording = $1::bigint ORDER BY l.number DESC LIMIT 1
    )
ORDER BY f.taken_us
LIMIT 1;

-- name: next_calm
SELECT f.taken_us
FROM lockscope_history.frame AS f
WHERE f.recording = $1::bigint AND f.taken_us > $2::bigint AND (f.waiting = 0 OR f.longest_ms < $3::bigint)
ORDER BY f.taken_us
LIMIT 1;

-- name: previous_wait
SELECT f.taken_us
FROM lockscope_history.frame AS f
WHERE f.recording = $1::bigint AND f.taken_us < $2::bigint AND f.waiting > 0 AND f.longest_ms >= $3::bigint
ORDER BY f.taken_us DESC
LIMIT 1;

-- name: previous_calm
SELECT f.taken_us
FROM lockscope_history.frame AS f
WHERE f.recording = $1::bigint AND f.taken_us < $2::bigint AND (f.waiting = 0 OR f.longest_ms < $3::bigint)
ORDER BY f.taken_us DESC
LIMIT 1;

-- name: next_event
SELECT e.at_us
FROM lockscope_history.event AS e
WHERE e.recording = $1::bigint AND e.at_us > $2::bigint AND e.kind = $3::text
ORDER BY e.at_us
LIMIT 1;

-- name: previous_event
SELECT e.at_us
FROM lockscope_history.event AS e
WHERE e.recording = $1::bigint AND e.at_us < $2::bigint AND e.kind = $3::text
ORDER BY e.at_us DESC
LIMIT 1;

-- name: events
SELECT
    e.at_us,
    e.noted_us,
    e.kind,
    e.what,
    e.detail,
    e.source_key,
    NULL
FROM lockscope_history.event AS e
WHERE e.recording = $1::bigint AND e.at_us BETWEEN $2::bigint AND $3::bigint AND e.kind <> 'report'
ORDER BY e.at_us, e.id
LIMIT $4::bigint;

-- name: latest_events
SELECT
    e.at_us,
    e.noted_us,
    e.kind,
    e.what,
    e.detail,
    e.source_key,
    NULL
FROM lockscope_history.event AS e
WHERE e.recording = $1::bigint AND e.kind = $2::text
ORDER BY e.at_us DESC, e.id DESC
LIMIT $3::bigint;

-- name: reports
SELECT
    e.at_us,
    e.what,
    e.detail,
    e.source_key,
    NULL
FROM lockscope_history.event AS e
WHERE e.recording = $1::bigint AND e.at_us BETWEEN $2::bigint AND $3::bigint AND e.kind = 'report'
ORDER BY e.at_us, e.id
LIMIT $4::bigint;

-- name: history
-- OFFSET 0 keeps the joins in this order, here and below: a day's new tables have no statistics yet, and a plan without
-- them may compare every session with every lock.
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
    i.doubt,
    i.number
FROM jsonb_array_elements_text($2::jsonb) AS n (id)
CROSS JOIN LATERAL (
    SELECT q.* FROM lockscope_history.resource AS q WHERE q.recording = $1::bigint AND q.id = n.id::bigint OFFSET 0
) AS r
CROSS JOIN LATERAL (
    SELECT s.*
    FROM lockscope_history.seen_interval AS s
    WHERE s.recording = r.recording AND s.resource = r.id AND s.day = r.day
        AND s.from_us <= $4::bigint AND s.to_us >= $3::bigint
    OFFSET 0
) AS i
CROSS JOIN LATERAL (
    SELECT q.* FROM lockscope_history.party AS q WHERE q.recording = i.recording AND q.id = i.party AND q.day = i.day OFFSET 0
) AS p
ORDER BY 11, 19
LIMIT nullif($5::bigint, -1);

-- name: place_before
SELECT min(f.number) - 1
FROM lockscope_history.frame AS f
WHERE f.recording = $1::bigint AND f.taken_us BETWEEN $3::bigint AND $4::bigint AND f.segment = $2::bigint;

-- name: next_snapshot
SELECT f.taken_us
FROM lockscope_history.frame AS f
WHERE f.recording = $1::bigint AND f.number > coalesce(
    (
        SELECT b.number
        FROM lockscope_history.frame AS b
        WHERE b.recording = $1::bigint AND b.taken_us <= $2::bigint
        ORDER BY b.taken_us DESC, b.number DESC
        LIMIT 1
    ), 0
)
ORDER BY f.number
LIMIT 1;

-- name: previous_snapshot
SELECT f.taken_us
FROM lockscope_history.frame AS f
WHERE f.recording = $1::bigint AND f.number < coalesce(
    (SELECT max(b.number) FROM lockscope_history.frame AS b WHERE b.recording = $1::bigint AND b.taken_us = $2::bigint),
    (
        SELECT b.number + 1
        FROM lockscope_history.frame AS b
        WHERE b.recording = $1::bigint AND b.taken_us < $2::bigint
        ORDER BY b.taken_us DESC, b.number DESC
        LIMIT 1
    )
)
ORDER BY f.number DESC
LIMIT 1;

-- name: surroundings
SELECT
    s.taken_us,
    s.kind,
    s.name,
    s.value,
    s.text
FROM lockscope_history.surroundings AS s
WHERE s.recording = $1::bigint AND s.taken_us BETWEEN $2::bigint AND $3::bigint
ORDER BY s.taken_us, s.id
LIMIT $4::bigint;

-- name: pins
SELECT
    p.from_us,
    p.to_us,
    p.why,
    p.id
FROM lockscope_history.pin AS p
WHERE p.recording = $1::bigint
ORDER BY p.from_us, p.id
LIMIT $2::bigint;

-- name: polls
SELECT
    f.number,
    f.segment,
    f.taken_us,
    f.interval_ms
FROM lockscope_history.frame AS f
WHERE f.recording = $1::bigint
    AND f.taken_us BETWEEN coalesce(
        (
            SELECT b.taken_us
            FROM lockscope_history.frame AS b
            WHERE b.recording = $1::bigint AND b.taken_us <= $2::bigint
            ORDER BY b.taken_us DESC
            LIMIT 1
        ), $2::bigint
    ) AND coalesce(
        (
            SELECT a.taken_us
            FROM lockscope_history.frame AS a
            WHERE a.recording = $1::bigint AND a.taken_us > $3::bigint
            ORDER BY a.taken_us
            LIMIT 1
        ), $3::bigint
    )
ORDER BY f.taken_us;

-- name: pieces
-- Each frame is looked up by an index (LATERAL, LIMIT 1), whatever is known of the tables.
WITH begins AS MATERIALIZED (
    SELECT
        g.segment,
        g.number AS first_number,
        g.taken_us AS first_us,
        coalesce(lead(g.number) OVER (ORDER BY g.number), 9223372036854775807) AS next_number
    FROM lockscope_history.behind_gap AS g
    WHERE g.recording = $1::bigint
),

pieces AS MATERIALIZED (
    SELECT
        p.segment,
        p.first_number,
        p.first_us,
        l.number AS last_number,
        l.taken_us AS last_us
    FROM begins AS p
    CROSS JOIN LATERAL (
        SELECT
            f.number,
            f.taken_us
        FROM lockscope_history.frame AS f
        WHERE f.recording = $1::bigint AND f.number < p.next_number
        ORDER BY f.number DESC
        LIMIT 1
    ) AS l
    WHERE p.first_us <= $3::bigint AND l.taken_us >= coalesce(
        (
            SELECT b.taken_us
            FROM lockscope_history.frame AS b
            WHERE b.recording = $1::bigint AND b.taken_us <= $2::bigint
            ORDER BY b.taken_us DESC
            LIMIT 1
        ), $2::bigint
    )
)

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
FROM pieces AS p
LEFT JOIN LATERAL (
    SELECT
        p.first_number AS number,
        p.first_us AS taken_us
    WHERE p.first_us >= $2::bigint
    UNION ALL
    (
        SELECT
            f.number,
            f.taken_us
        FROM lockscope_history.frame AS f
        WHERE p.first_us < $2::bigint AND f.recording = $1::bigint AND f.taken_us >= $2::bigint
            AND f.number BETWEEN p.first_number AND p.last_number
        ORDER BY f.taken_us, f.number
        LIMIT 1
    )
) AS a ON true
LEFT JOIN LATERAL (
    SELECT
        p.last_number AS number,
        p.last_us AS taken_us
    WHERE p.last_us <= $3::bigint
    UNION ALL
    (
        SELECT
            f.number,
            f.taken_us
        FROM lockscope_history.frame AS f
        WHERE p.last_us > $3::bigint AND f.recording = $1::bigint AND f.taken_us <= $3::bigint
            AND f.number BETWEEN p.first_number AND p.last_number
        ORDER BY f.taken_us DESC, f.number DESC
        LIMIT 1
    )
) AS b ON true
ORDER BY p.first_number;

-- name: next_gap
SELECT g.taken_us
FROM lockscope_history.behind_gap AS g
WHERE g.recording = $1::bigint AND g.taken_us > $2::bigint AND g.taken_us <= (
    SELECT l.taken_us FROM lockscope_history.frame AS l WHERE l.recording = $1::bigint ORDER BY l.number DESC LIMIT 1
)
ORDER BY g.taken_us
LIMIT 1;

-- name: previous_gap
SELECT g.taken_us
FROM lockscope_history.behind_gap AS g
WHERE g.recording = $1::bigint AND g.taken_us < $2::bigint
ORDER BY g.taken_us DESC
LIMIT 1;

-- name: what_follows
SELECT
    n.number,
    (n.segment = f.segment)::integer,
    s.end_reason
FROM lockscope_history.frame AS f
LEFT JOIN lockscope_history.segment AS s ON f.recording = s.recording AND f.segment = s.id
LEFT JOIN LATERAL (
    SELECT
        g.number,
        g.segment
    FROM lockscope_history.frame AS g
    WHERE g.recording = $1::bigint AND g.number > $2::bigint
    ORDER BY g.number
    LIMIT 1
) AS n ON true
WHERE f.recording = $1::bigint AND f.number = $2::bigint;

-- name: modes
-- Modes have no numbers here.
SELECT
    0,
    ''
WHERE $1::bigint IS NULL;

-- name: intervals
SELECT
    i.resource,
    i.party,
    NULL,
    i.from_us,
    i.from_exact,
    i.to_us,
    i.gone_us,
    i.polls,
    i.doubt,
    i.mode,
    i.statement
FROM lockscope_history.seen_interval AS i
WHERE i.recording = $1::bigint AND i.waited = $4::bigint AND i.to_us >= $2::bigint AND i.from_us <= $3::bigint;

-- name: lock_of_number
SELECT
    r.kind,
    r.database_name,
    r.identity,
    r.name
FROM lockscope_history.resource AS r
WHERE r.recording = $1::bigint AND r.id = $2::bigint
LIMIT 1;

-- name: resources_of_kinds
SELECT DISTINCT r.id
FROM lockscope_history.resource AS r
WHERE r.recording = $1::bigint AND r.kind IN ($2, $3);

-- name: resources_named
SELECT DISTINCT r.id
FROM jsonb_array_elements_text($2::jsonb) AS n (name)
CROSS JOIN LATERAL (
    SELECT q.id
    FROM lockscope_history.resource AS q
    WHERE q.recording = $1::bigint AND hashtextextended(q.name, 0) = hashtextextended(n.name, 0) AND q.name = n.name
    OFFSET 0
) AS r;

-- name: resources_identified
SELECT DISTINCT r.id
FROM lockscope_history.resource AS r
WHERE r.recording = $1::bigint AND hashtextextended(r.identity, 0) = hashtextextended($4, 0)
    AND r.kind = $2 AND r.database_name = $3 AND r.identity = $4 AND ($5 = '' OR r.name = $5);

-- name: party_of_number
SELECT
    p.session,
    p.started_us,
    p.user_name,
    p.program,
    p.host
FROM lockscope_history.party AS p
WHERE p.recording = $1::bigint AND p.id = $2::bigint
LIMIT 1;

-- name: locks_named
SELECT DISTINCT
    r.kind COLLATE "C",
    r.database_name COLLATE "C",
    r.identity COLLATE "C",
    r.name
FROM lockscope_history.resource AS r
WHERE r.recording = $1::bigint AND hashtextextended(r.name, 0) = hashtextextended($2, 0) AND r.name = $2
ORDER BY 1, 2, 3;

-- name: lock_names_like
SELECT DISTINCT r.name COLLATE "C"
FROM lockscope_history.resource AS r
WHERE r.recording = $1::bigint AND r.name ILIKE $2 ESCAPE '\'
ORDER BY 1
LIMIT $3::bigint;

-- name: lives
SELECT
    l.started_us,
    l.user_name,
    l.program,
    l.host
FROM (
    SELECT DISTINCT
        p.id,
        p.started_us,
        p.user_name,
        p.program,
        p.host
    FROM lockscope_history.party AS p
    WHERE p.recording = $1::bigint AND p.session = $2::bigint AND p.started_us > 0
) AS l
ORDER BY l.started_us, l.id;

-- name: session_life
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
FROM lockscope_history.party AS p
CROSS JOIN LATERAL (
    SELECT s.*
    FROM lockscope_history.seen_interval AS s
    WHERE s.recording = p.recording AND s.party = p.id AND s.day = p.day
        AND s.from_us <= $5::bigint AND s.to_us >= $4::bigint
    OFFSET 0
) AS i
CROSS JOIN LATERAL (
    SELECT q.* FROM lockscope_history.resource AS q WHERE q.recording = i.recording AND q.id = i.resource AND q.day = i.day OFFSET 0
) AS r
WHERE p.recording = $1::bigint AND p.session = $2::bigint
    AND (
        p.started_us = $3::bigint OR (
            p.started_us = 0 AND i.to_us >= $3::bigint AND i.from_us < (
                SELECT coalesce(min(n.started_us), $5::bigint + 1)
                FROM lockscope_history.party AS n
                WHERE n.recording = $1::bigint AND n.session = $2::bigint AND n.started_us > $3::bigint
            )
        )
    )
ORDER BY 11
LIMIT $6::bigint;
