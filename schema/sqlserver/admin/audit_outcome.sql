-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- How an act ended that this transaction has recorded. @P1 its id, @P2 state before as JSON (null: as it was recorded),
-- @P3 outcome.
EXECUTE lockscope.RecordOutcome @Id = @P1, @Before = @P2, @Outcome = @P3;
