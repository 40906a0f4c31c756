-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Brings a recording of version 1, in which each interval was a row of the table lock_interval, to version 2. With
-- intervals.sql, in one transaction.

-- name: rename
-- Four statements, before intervals.sql.
DROP VIEW lock_history;
DROP INDEX IF EXISTS lock_interval_to;
DROP INDEX IF EXISTS lock_interval_wait; -- the first programs made none
ALTER TABLE lock_interval RENAME TO old_interval;

-- name: add_modes
-- This and what follows after intervals.sql.
INSERT INTO lock_mode (name)
SELECT DISTINCT mode FROM old_interval;

-- name: add_blocks
-- Blocks for ?1 numbers each; as recording/recording/add_blocks.
INSERT INTO interval_block (id, waited, first_number, last_number, from_us, base_us, to_us)
SELECT
    1 + number / ?1 * 4 + waited * 2 + (to_us - from_us >= ?2),
    waited,
    min(number),
    max(number),
    min(from_us),
    min(to_us),
    max(to_us)
FROM old_interval
GROUP BY 1;

-- name: pack
INSERT INTO packed_interval (block, resource, place, party, what, ended, length, gone)
SELECT
    b.id,
    i.resource,
    i.number - b.first_number,
    i.party,
    m.id * 4 + i.waited * 2 + i.from_exact,
    i.to_us - b.base_us,
    i.to_us - i.from_us,
    i.gone_us - i.to_us
FROM old_interval AS i
INNER JOIN interval_block AS b ON 1 + i.number / ?1 * 4 + i.waited * 2 + (i.to_us - i.from_us >= ?2) = b.id
INNER JOIN lock_mode AS m ON i.mode = m.name
ORDER BY b.id, i.resource, i.number;

-- name: drop
DROP TABLE old_interval;
