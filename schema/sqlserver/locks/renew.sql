-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The new end of the lease; NULL if the row is not ours any more.
EXECUTE lockscope.RenewLock @Name = @P1, @Token = @P2, @LeaseUs = @P3
