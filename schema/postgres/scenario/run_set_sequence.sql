-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A sequence of the run stands where it stood at the start.
SELECT setval('{sequence}', {value})
