-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The names of application locks that only one run has used: those that begin with @P1, and its own, @P2.
DELETE FROM lockscope.app_lock_name WHERE LEFT(name, LEN(@P1)) = @P1 OR name = @P2
