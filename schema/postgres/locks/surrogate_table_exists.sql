-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Whether a table is there; $1 is its quoted name.
SELECT to_regclass($1) IS NOT NULL
