-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Lock-table names by the keys of their guards (install.sql). $1: keys, unsigned, as an array literal.
SELECT
    hashtext(n.name)::bigint & 4294967295 AS key,
    n.name
FROM (
    SELECT e.name FROM lockscope.lock_entry AS e
    UNION
    SELECT w.name FROM lockscope.lock_waiter AS w
) AS n
WHERE hashtext(n.name)::bigint & 4294967295 = ANY($1::text::bigint[]);
