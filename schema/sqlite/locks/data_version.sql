-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Changes whenever another connection commits to the file.
PRAGMA data_version
