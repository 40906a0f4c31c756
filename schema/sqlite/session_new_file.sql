-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- In a file that we make, readers don't block the writer (WAL). The mode stays with the file.
PRAGMA journal_mode = WAL;
