-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Lock-table entries that a run left behind: their names begin with @p1.
DELETE FROM lockscope.lock_entry WHERE LEFT(name, LEN(@p1)) = @p1
