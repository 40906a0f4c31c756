-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The report's figures.
SELECT state, count(*) FROM shop.orders GROUP BY state ORDER BY state
