-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Without rights on the schema this is an error, not "no".
SELECT to_regclass('lockscope.schema_version') IS NOT NULL
