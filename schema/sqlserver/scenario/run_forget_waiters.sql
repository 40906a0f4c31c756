-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Places in the queues of the lock table that a run left behind: the names begin with @P1.
DELETE FROM lockscope.lock_waiter WHERE LEFT(name, LEN(@P1)) = @P1
