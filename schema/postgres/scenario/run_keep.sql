-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Keeps what a table of the run holds at the start.
CREATE TABLE {kept} AS SELECT * FROM {table}
