-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Records an act. $1 account, $2 host and program, $3 act, $4 target, $5 reason, $6 state before as JSON, $7 outcome.
INSERT INTO lockscope.audit_log (who, origin, act, target, reason, before, outcome)
VALUES ($1::text || ' (role ' || session_user || ')', $2, $3, $4, $5, $6::text::jsonb, $7)
RETURNING id;
