-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The new end of the lease; NULL if the row is not ours any more.
EXECUTE lockscope.RenewLock @Name = @p1, @Token = @p2, @LeaseUs = @p3
