-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Takes a lock-table name, or queues for it, or says who has it; see install.sql.
SELECT * FROM lockscope.acquire_lock($1, $2, $3, $4, $5, $6, $7, $8, $9)
