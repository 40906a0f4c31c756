-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- How an act ended that this login has recorded. $1 its id, $2 state before as JSON (null: as it was recorded),
-- $3 outcome.
SELECT lockscope.audit_outcome($1::bigint, $2::text::jsonb, $3);
