-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A surrogate table of the run: there only to be locked.
CREATE TABLE {table} (unused bit)
