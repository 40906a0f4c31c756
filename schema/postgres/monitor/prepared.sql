-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Prepared transactions: they hold locks although no session is left. $1: their transaction ids, as an array literal.
SELECT
    transaction::text::bigint,
    gid,
    owner::text,
    database::text,
    (extract(epoch FROM prepared) * 1000000)::bigint
FROM pg_catalog.pg_prepared_xacts
WHERE transaction::text::bigint = ANY($1::text::bigint[]);
