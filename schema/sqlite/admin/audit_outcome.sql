-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- How an act ended that this transaction has recorded. ?1 its id, ?2 state before as JSON (null: as it was recorded),
-- ?3 outcome.
UPDATE lockscope_audit_log SET outcome = ?3, "before" = coalesce(?2, "before")
WHERE id = ?1
RETURNING 1;
