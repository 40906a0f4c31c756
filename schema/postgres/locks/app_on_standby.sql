-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Is this server a standby? Advisory locks there are its own: no other server of the cluster knows of them.
SELECT pg_catalog.pg_is_in_recovery()
