-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Lock-table entries that a run left behind: their names begin with @P1.
DELETE FROM lockscope.lock_entry WHERE LEFT(name, LEN(@P1)) = @P1
