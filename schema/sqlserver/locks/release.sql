-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- True if the row was still ours and is gone now.
EXECUTE lockscope.ReleaseLock @Name = @P1, @Token = @P2
