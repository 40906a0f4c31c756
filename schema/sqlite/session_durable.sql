-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- From here on a commit survives a power failure again.
PRAGMA synchronous = FULL;
