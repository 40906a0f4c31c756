-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Whether names of application locks can be registered: the schema is there and we may call it.
SELECT CAST(COALESCE(HAS_PERMS_BY_NAME(N'lockscope.RegisterAppLockName', 'OBJECT', 'EXECUTE'), 0) AS bit)
