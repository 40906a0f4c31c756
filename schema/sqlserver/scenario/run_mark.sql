-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Tells a run's schema from one that somebody else called so.
CREATE TABLE {schema}.lockscope_run (made_at datetime2(6) NOT NULL DEFAULT SYSUTCDATETIME())
