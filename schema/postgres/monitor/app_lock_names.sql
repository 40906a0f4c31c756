-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Registered names of advisory locks. $1: their keys, as an array literal.
SELECT
    key,
    name
FROM lockscope.app_lock_name
WHERE key = ANY($1::text::bigint[]);
