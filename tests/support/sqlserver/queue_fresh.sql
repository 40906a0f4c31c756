-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- How many rows were taken within the last minute, by the clock that their stamps are of.
SELECT COUNT(*) FROM {table} WHERE ABS(DATEDIFF(SECOND, {stamp}, {now})) < 60
