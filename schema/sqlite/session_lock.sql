-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A commit survives a power failure, so that no fencing number comes twice. The journal mode is the file's owner's
-- business.
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;
