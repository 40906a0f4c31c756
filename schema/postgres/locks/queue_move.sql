-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A row is done: moves it to a table of the same columns, if it was not handed out again meanwhile ($2 = the stamp that
-- it was taken with).
WITH gone AS (DELETE FROM {table} WHERE {key} = $1 AND {stamp}::text = $2 RETURNING *)
INSERT INTO {archive} SELECT * FROM gone
