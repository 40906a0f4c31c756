-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A table of the run gets back what it held at the start.
INSERT INTO {table} OVERRIDING SYSTEM VALUE SELECT * FROM {kept}
