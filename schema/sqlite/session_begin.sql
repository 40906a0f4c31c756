-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Takes the write lock at once: a transaction that reads first could not always become a writer later.
BEGIN IMMEDIATE
