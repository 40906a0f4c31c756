-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Whether a grant still has its row. @P1 name, @P2 token.
SELECT 1 FROM lockscope.lock_entry
WHERE name_key = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @P1))) AND token = @P2
