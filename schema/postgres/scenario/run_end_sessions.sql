-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Ends the sessions of a run whose program is gone: their names begin with $1. Looks at this database only.
SELECT count(pg_terminate_backend(a.pid))
FROM pg_stat_activity AS a
WHERE starts_with(a.application_name, $1) AND a.datname = current_database() AND a.usename = current_user
    AND a.pid <> pg_backend_pid()
