-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Tells a run's schema from one that somebody else called so.
COMMENT ON SCHEMA {schema} IS 'Lockscope scenario run'
