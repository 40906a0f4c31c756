-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A workload plays an ordinary program: only a statement time-out, if asked for ($1 in ms, 0 = none).
-- $2 = application name.
SELECT
    pg_catalog.set_config('statement_timeout', $1, false),
    pg_catalog.set_config('application_name', $2, false)
