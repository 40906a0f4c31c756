-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What is written into the file of incidents and read from it; its tables are explained in install.sql.

-- name: application
PRAGMA application_id;

-- name: version
PRAGMA user_version;

-- name: tables
SELECT count(*) FROM sqlite_schema;

-- name: data_version
-- Changes when another connection has written.
PRAGMA data_version;

-- name: firing_of
SELECT id FROM incident WHERE fingerprint = ?1 AND is_firing = 1;

-- name: add
INSERT INTO incident (fingerprint, head, server, is_firing, is_critical, fired_us, seen_us, body)
VALUES (?1, ?2, ?3, 1, ?4, ?5, ?5, ?6);

-- name: change
UPDATE incident SET is_critical = ?2, seen_us = ?3, body = ?4 WHERE id = ?1 AND is_firing = 1;

-- name: resolve
UPDATE incident SET is_firing = 0, resolved_us = ?2, seen_us = ?2, body = ?3 WHERE id = ?1 AND is_firing = 1;

-- name: changes
SELECT changes();

-- name: firing
SELECT id, body, acknowledged_by, acknowledged_why FROM incident WHERE is_firing = 1 AND (?1 = '' OR server = ?1)
ORDER BY is_critical DESC, fired_us DESC;

-- name: list
-- Those that fire, and the latest ?2 of those that ended from ?1 on; in each row how many of these are left out. It is one
-- statement, so that an incident that ends meanwhile is in it once.
SELECT
    id,
    body,
    acknowledged_by,
    acknowledged_why,
    max(0, (SELECT count(*) FROM incident AS i WHERE i.resolved_us >= ?1) - ?2) AS left_out
FROM incident
WHERE
    resolved_us IS NULL
    OR id IN (SELECT i.id FROM incident AS i WHERE i.resolved_us >= ?1 ORDER BY i.resolved_us DESC, i.id DESC LIMIT ?2)
ORDER BY is_firing DESC, is_firing * is_critical DESC, coalesce(resolved_us, fired_us) DESC, id DESC;

-- name: incident
SELECT id, body, acknowledged_by, acknowledged_why FROM incident WHERE id = ?1;

-- name: similar
SELECT id, body, acknowledged_by, acknowledged_why FROM incident WHERE head = ?1 AND is_firing = 0 AND id <> ?2
ORDER BY fired_us DESC
LIMIT ?3;

-- name: steps
SELECT
    at_us,
    what
FROM step
WHERE incident = ?1
ORDER BY id;

-- name: add_step
INSERT INTO step (incident, at_us, what)
VALUES (?1, ?2, ?3);

-- name: acknowledge
UPDATE incident SET acknowledged_by = ?2, acknowledged_why = ?3 WHERE id = ?1 AND is_firing = 1;

-- name: mute
INSERT INTO mute (kind, value, shown, end_kind, until_us, max_waiting, max_wait_ms, why, made_by, made_us)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10);

-- name: unmute
UPDATE mute SET ended_us = ?2, ended_why = ?3 WHERE id = ?1 AND ended_us IS NULL AND (end_kind <> 0 OR until_us > ?2);

-- name: mutes
-- Returns those in force at ?2, and those that ended from ?1 on. An expired one has ended, although nobody writes that.
WITH known AS (
    SELECT *, coalesce(ended_us, CASE WHEN end_kind = 0 AND until_us <= ?2 THEN until_us END) AS over_us
    FROM mute
)

SELECT
    id,
    kind,
    value,
    shown,
    end_kind,
    until_us,
    max_waiting,
    max_wait_ms,
    why,
    made_by,
    made_us,
    over_us,
    CASE WHEN ended_us IS NULL AND over_us IS NOT NULL THEN 'its time was over' ELSE ended_why END
FROM known
WHERE over_us IS NULL OR over_us >= ?1
ORDER BY over_us IS NOT NULL, made_us DESC;

-- name: queue
INSERT INTO queued (channel, incident, body)
VALUES (?1, ?2, ?3);

-- name: known_channel
INSERT INTO channel (name) VALUES (?1) ON CONFLICT DO NOTHING;

-- name: drop_oldest
-- Leaves the newest ?2 of that channel.
DELETE FROM queued
WHERE channel = ?1 AND number <= (SELECT q.number FROM queued AS q WHERE q.channel = ?1 ORDER BY q.number DESC LIMIT 1 OFFSET ?2);

-- name: note_dropped
UPDATE channel SET dropped = dropped + ?2, dropped_us = ?3, dropped_why = ?4 WHERE name = ?1;

-- name: due
-- Of a channel those up to the first that has to wait, so that their order stays. Nothing waits for over an hour (3,600 million
-- microseconds): such a time was written before the clock was set back.
SELECT
    number,
    attempts,
    next_try_us,
    last_error,
    body,
    claimed_by,
    refused_since_us
FROM queued AS q
WHERE
    channel = ?1 AND NOT EXISTS (
        SELECT 1
        FROM queued AS earlier
        WHERE
            earlier.channel = ?1 AND earlier.number <= q.number
            AND (
                (earlier.next_try_us > ?2 AND earlier.next_try_us <= ?2 + 3600000000)
                OR (earlier.claimed_until_us > ?2 AND earlier.claimed_until_us <= ?2 + 3600000000)
            )
    )
ORDER BY number
LIMIT ?3;

-- name: claim
UPDATE queued SET claimed_by = ?2, claimed_until_us = ?3 WHERE number = ?1;

-- name: release
-- Who had taken them stays noted: they were one message, and are again.
UPDATE queued SET claimed_until_us = 0 WHERE channel = ?2 AND number >= ?1;

-- name: split
-- Its receiver has refused the whole: none has arrived, and each is a message of its own now.
UPDATE queued SET claimed_until_us = 0, claimed_by = '' WHERE channel = ?2 AND number >= ?1;

-- name: sent
DELETE FROM queued WHERE number = ?1;

-- name: note_sent
-- Notices that were given up within the last hour (3,600 million microseconds) are reported beyond what is sent now.
UPDATE channel
SET
    last_sent_us = ?2,
    failing_since_us = 0,
    dropped = CASE WHEN dropped_us BETWEEN ?2 - 3600000000 AND ?2 THEN dropped ELSE 0 END
WHERE name = ?1;

-- name: channel_of
SELECT channel FROM queued WHERE number = ?1;

-- name: failed
UPDATE queued
SET
    attempts = attempts + 1,
    next_try_us = ?2,
    last_error = ?3,
    refused_since_us = CASE WHEN refused_since_us = 0 THEN ?4 ELSE refused_since_us END
WHERE number = ?1;

-- name: note_failing
UPDATE channel SET failing_since_us = ?2 WHERE name = ?1 AND failing_since_us = 0;

-- name: channels
SELECT
    c.name,
    (SELECT count(*) FROM queued AS q WHERE q.channel = c.name),
    c.dropped,
    (SELECT q.attempts FROM queued AS q WHERE q.channel = c.name ORDER BY q.number LIMIT 1),
    (SELECT q.last_error FROM queued AS q WHERE q.channel = c.name ORDER BY q.number LIMIT 1),
    c.last_sent_us,
    c.failing_since_us,
    c.dropped_us,
    c.dropped_why
FROM channel AS c
ORDER BY c.name;

-- name: note_family
INSERT INTO family (server, family, first_us) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING;

-- name: mark_cured
INSERT INTO cure (server, family, cure, marked_by, marked_us) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (server, family) DO UPDATE
SET cure = excluded.cure, marked_by = excluded.marked_by, marked_us = excluded.marked_us, back_us = 0;

-- name: note_back
UPDATE cure SET back_us = ?3 WHERE server = ?1 AND family = ?2 AND marked_us < ?3 AND back_us < ?3;

-- name: cure_of
SELECT
    cure,
    marked_by,
    marked_us
FROM cure
WHERE server = ?1 AND family = ?2;

-- name: prune_steps
DELETE FROM step WHERE incident IN (SELECT i.id FROM incident AS i WHERE i.is_firing = 0 AND i.resolved_us < ?1);

-- name: prune_incidents
DELETE FROM incident WHERE is_firing = 0 AND resolved_us < ?1;

-- name: prune_mutes
DELETE FROM mute WHERE coalesce(ended_us, CASE WHEN end_kind = 0 THEN until_us END) < ?1;

-- name: newest
SELECT coalesce(max(id), 0) FROM incident;

-- name: counts
-- By server: those that came after ?1, the newest of them, and those that fire.
SELECT
    server,
    count(*) FILTER (WHERE id > ?1),
    coalesce(max(id) FILTER (WHERE id > ?1), 0),
    coalesce(max(fired_us) FILTER (WHERE id > ?1), 0),
    count(*) FILTER (WHERE is_firing = 1 AND is_critical = 0),
    count(*) FILTER (WHERE is_firing = 1 AND is_critical = 1)
FROM incident
WHERE id > ?1 OR is_firing = 1
GROUP BY server;
