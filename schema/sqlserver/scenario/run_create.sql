-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The schema of one scenario run; everything that the run makes is in it.
CREATE SCHEMA {schema}
