-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Says that the schema in this database is a test's.
CREATE TABLE dbo.lockscope_made_by_a_test (unused bit NULL)
