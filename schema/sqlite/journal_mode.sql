-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- How the file keeps its transactions whole.
PRAGMA journal_mode
