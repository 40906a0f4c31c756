-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Keeps the name of an application lock readable for the monitor.
INSERT INTO lockscope.app_lock_name (key, name) VALUES (hashtextextended($1, 0), $1) ON CONFLICT DO NOTHING
