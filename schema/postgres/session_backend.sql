-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The first thing that a connection asks, before anything is set: which process answers? Behind a pooler it is not the
-- one that the log-in named. Resolves nothing in the search_path.
SELECT pg_catalog.pg_backend_pid()
