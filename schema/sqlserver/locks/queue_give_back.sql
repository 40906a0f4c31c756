-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A row goes back to the queue at once, if it was not handed out again meanwhile (@P2 = the stamp that it was taken with).
UPDATE {table} SET {stamp} = DEFAULT WHERE {key} = @P1 AND CONVERT(nvarchar(40), {stamp}, 121) = @P2
