-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A monitor changes nothing, not even the journal mode.
PRAGMA query_only = ON;
