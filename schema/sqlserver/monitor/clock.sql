-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The server's clock: first and last statement of every poll, so that the difference is what the poll cost there.
SELECT DATEDIFF_BIG(MICROSECOND, '19700101', SYSUTCDATETIME());
