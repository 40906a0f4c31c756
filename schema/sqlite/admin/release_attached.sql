-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Deletes exactly the row that was shown from a table that was there before us. ?1 name, ?2 time as it is stored.
DELETE FROM {table}
WHERE CAST({name} AS TEXT) = ?1 AND CAST({time} AS TEXT) IS ?2
RETURNING json_object(
    'name', CASE typeof({name}) WHEN 'blob' THEN quote({name}) ELSE {name} END,
    'time', CASE typeof({time}) WHEN 'blob' THEN quote({time}) ELSE {time} END
);
