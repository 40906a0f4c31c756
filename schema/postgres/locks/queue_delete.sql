-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A row is done: deletes it, if it was not handed out again meanwhile ($2 = the stamp that it was taken with).
DELETE FROM {table} WHERE {key} = $1 AND {stamp}::text = $2
