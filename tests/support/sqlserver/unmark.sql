-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
DROP TABLE dbo.lockscope_made_by_a_test
