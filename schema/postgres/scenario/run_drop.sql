-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Removes all that a run has made.
DROP SCHEMA IF EXISTS {schema} CASCADE
