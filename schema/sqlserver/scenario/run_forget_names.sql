-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The names of application locks that only one run has used: those that begin with @p1, and its own, @p2.
DELETE FROM lockscope.app_lock_name WHERE LEFT(name, LEN(@p1)) = @p1 OR name = @p2
