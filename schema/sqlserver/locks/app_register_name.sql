-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Keeps the name of an application lock whole for the monitor.
EXECUTE lockscope.RegisterAppLockName @Name = @P1
