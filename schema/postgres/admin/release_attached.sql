-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Deletes exactly the row that was shown from a table that was there before us. $1 name, $2 time as it is stored.
DELETE FROM {table} AS t
WHERE {name}::text = $1::text AND {time}::text IS NOT DISTINCT FROM $2::text
RETURNING to_jsonb(t)::text;
