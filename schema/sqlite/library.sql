-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Which SQLite runs this.
SELECT sqlite_source_id()
