-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- One row a surrogate key, in the schema of the run.
CREATE TABLE {table} ([key] nvarchar(255) COLLATE Latin1_General_BIN2 NOT NULL PRIMARY KEY)
