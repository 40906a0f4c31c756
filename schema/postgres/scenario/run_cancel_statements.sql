-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Cancels what the sessions of a run are doing, all at once: their names begin with $1. A cancel request of each session's
-- own takes a connection each.
SELECT count(pg_cancel_backend(a.pid))
FROM pg_stat_activity AS a
WHERE starts_with(a.application_name, $1) AND a.datname = current_database() AND a.usename = current_user
    AND a.state = 'active' AND a.pid <> pg_backend_pid()
