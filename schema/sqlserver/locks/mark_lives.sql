-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Whether a session that marked itself is still there.
SELECT 1 WHERE APPLOCK_TEST(N'public', CONVERT(nvarchar(255), @P1), N'Exclusive', N'Session') = 0
