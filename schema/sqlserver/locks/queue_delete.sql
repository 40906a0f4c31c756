-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A row is done: deletes it, if it was not handed out again meanwhile (@P2 = the stamp that it was taken with).
DELETE FROM {table} WHERE {key} = @P1 AND CONVERT(nvarchar(40), {stamp}, 121) = @P2
