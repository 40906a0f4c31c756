-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Takes a lock-table name, or queues for it, or says who has it; see install.sql.
SELECT
    a.fencing,
    a.acquired_us,
    a.expires_us,
    a.ticket,
    a.recheck_us,
    a.holder_owner,
    a.holder_host,
    a.holder_program,
    a.holder_process_id,
    a.holder_session_id
FROM lockscope.acquire_lock($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS a
