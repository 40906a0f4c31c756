-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Joins the visible queue for 10 s; the ticket is the place in it.
INSERT INTO lockscope_lock_waiter (name, registered_at, expires_at, owner, host, program, process_id)
SELECT ?1, n.now, n.now + 10000000, ?2, ?3, ?4, ?5 FROM (SELECT CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER) AS now) AS n
RETURNING ticket
