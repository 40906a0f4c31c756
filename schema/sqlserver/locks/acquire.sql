-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Takes a lock-table name, or waits for it, or says who has it; see install.sql.
EXECUTE lockscope.AcquireLock
    @Name = @P1, @Token = @P2, @LeaseUs = @P3, @WaitMs = @P4, @Ticket = @P5, @Owner = @P6, @Host = @P7, @Program = @P8,
    @ProcessId = @P9
