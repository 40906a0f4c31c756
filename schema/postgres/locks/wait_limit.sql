-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Limits the next waits of this transaction to $1 ms ('0' = no limit) and keeps the limit that was set before.
SELECT set_config('lockscope.lock_timeout', current_setting('lock_timeout'), true), set_config('lock_timeout', $1, true)
