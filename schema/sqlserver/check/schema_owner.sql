-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Whom the schema lockscope belongs to.
SELECT ISNULL(USER_NAME(s.principal_id), N'?')
FROM sys.schemas AS s
WHERE s.name = N'lockscope';
