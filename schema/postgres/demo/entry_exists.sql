-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Is the row of the crashed program still there?
SELECT 1 FROM lockscope.lock_entry WHERE name = $1
