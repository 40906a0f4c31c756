-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'lockscope_schema_version')
