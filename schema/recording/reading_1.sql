-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- As reading.sql, of a recording of version 1: a file that nobody has written to since.
CREATE TEMP VIEW seen_interval AS
SELECT
    i.resource,
    i.party,
    i.mode,
    i.waited,
    i.from_us,
    i.from_exact,
    i.to_us,
    i.gone_us,
    0 AS goes_on,
    i.number,
    i.from_us AS block_from_us,
    i.to_us AS block_to_us,
    i.number AS block_last
FROM main.lock_interval AS i
UNION ALL
SELECT
    o.resource,
    o.party,
    o.mode,
    o.waited,
    o.from_us,
    o.from_exact,
    (SELECT s.seen_us FROM main.segment AS s ORDER BY s.id DESC LIMIT 1),
    cast(NULL AS INTEGER),
    1,
    o.id,
    o.from_us,
    (SELECT s.seen_us FROM main.segment AS s ORDER BY s.id DESC LIMIT 1),
    o.id
FROM main.open_interval AS o;
