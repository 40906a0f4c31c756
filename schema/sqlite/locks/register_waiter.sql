-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Joins the visible queue for 2 s; the ticket is the place in it. ?2: the token that the caller will take the name with.
INSERT INTO lockscope_lock_waiter (name, token, registered_at, expires_at, owner, host, program, process_id)
SELECT ?1, ?2, n.now, n.now + 2000000, ?3, ?4, ?5, ?6
FROM (SELECT CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER) AS now) AS n
RETURNING ticket
