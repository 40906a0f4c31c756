-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Removes the schema of a run, which is empty by now.
DROP SCHEMA {schema}
