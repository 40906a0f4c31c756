-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Looks for the row behind a key or row lock, by reading the whole table or index: on request only, after a warning.
-- %%lockres%% is not documented by its maker, and two rows may have the same hash. @P1: the hash as locks.sql shows it.
SELECT TOP (2) (
    SELECT r.*
    FOR JSON PATH, WITHOUT_ARRAY_WRAPPER
)
FROM {table} AS r WITH (NOLOCK, INDEX({index_id}))
WHERE %%lockres%% = @P1;
