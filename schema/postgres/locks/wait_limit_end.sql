-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Puts back what wait_limit.sql kept.
SELECT set_config('lock_timeout', current_setting('lockscope.lock_timeout'), true)
