-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Records an act. $1 account, $2 host and program, $3 act, $4 target, $5 reason, $6 state before as JSON, $7 outcome.
-- Who it was, the function takes from the session.
SELECT lockscope.audit_act($1::text || ', ' || $2::text, $3, $4, $5, $6::text::jsonb, $7);
