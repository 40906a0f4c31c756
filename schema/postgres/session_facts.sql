-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- When this session began: a session id alone is reused.
SELECT (extract(epoch FROM backend_start) * 1000000)::bigint
FROM pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid())
