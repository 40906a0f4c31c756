-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Takes a lock-table name, or waits for it, or says who has it; see install.sql.
EXECUTE lockscope.AcquireLock
    @Name = @p1, @Token = @p2, @LeaseUs = @p3, @WaitMs = @p4, @Ticket = @p5, @Owner = @p6, @Host = @p7, @Program = @p8,
    @ProcessId = @p9
