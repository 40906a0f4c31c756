-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A row goes back to the queue at once, if it was not handed out again meanwhile ($2 = the stamp that it was taken with).
UPDATE {table} SET {stamp} = DEFAULT WHERE {key} = $1 AND {stamp}::text = $2
