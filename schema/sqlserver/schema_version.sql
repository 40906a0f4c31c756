-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
SELECT COALESCE(MAX(version), 0) FROM lockscope.schema_version
