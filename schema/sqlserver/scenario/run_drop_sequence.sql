-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Removes a sequence of a run.
DROP SEQUENCE IF EXISTS {object}
