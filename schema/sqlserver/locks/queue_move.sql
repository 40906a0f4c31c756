-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A row is done: moves it to a table of the same columns, if it was not handed out again meanwhile (@P2 = the stamp that
-- it was taken with).
DELETE FROM {table}
OUTPUT DELETED.* INTO {archive}
WHERE {key} = @P1 AND CONVERT(nvarchar(40), {stamp}, 121) = @P2
