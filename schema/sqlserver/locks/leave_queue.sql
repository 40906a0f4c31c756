-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A waiter gives up, with whatever was granted to it meanwhile.
EXECUTE lockscope.LeaveQueue @Name = @P1, @Token = @P2
