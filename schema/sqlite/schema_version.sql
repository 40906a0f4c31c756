-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
SELECT coalesce(max(version), 0) FROM lockscope_schema_version
