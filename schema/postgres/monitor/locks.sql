-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Every lock held or awaited, as the server lists it. Blockers are worked out on the client: pg_blocking_pids stops the
-- lock manager once per call. date_part instead of extract, because numeric arithmetic costs more than the rest of
-- the row; it is exact to the microsecond until 2106.
-- $1: also the noise (each session's lock on its own virtual transaction and fast-path locks on the catalogue; a lock
-- in the fast path can't have a waiter).
SELECT
    locktype,
    database,
    relation,
    page,
    tuple,
    virtualxid,
    transactionid,
    classid,
    objid,
    objsubid,
    virtualtransaction,
    pid,
    mode,
    granted,
    (date_part('epoch', {waitstart}) * 1000000)::bigint
FROM pg_catalog.pg_locks
WHERE $1::boolean OR NOT (fastpath AND (locktype = 'virtualxid' OR relation < 16384));
