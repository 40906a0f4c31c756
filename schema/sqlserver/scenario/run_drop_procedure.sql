-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Removes a procedure of a run.
DROP PROCEDURE {object}
