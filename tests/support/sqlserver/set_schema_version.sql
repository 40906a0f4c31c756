-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
UPDATE lockscope.schema_version SET version = @P1
