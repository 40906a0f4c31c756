-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Records an act. ?1 account, ?2 host and program, ?3 act, ?4 target, ?5 reason, ?6 state before as JSON, ?7 outcome.
INSERT INTO lockscope_audit_log (at, who, origin, act, target, reason, "before", outcome)
VALUES (CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER) * 1000, ?1, ?2, ?3, ?4, ?5, ?6, ?7)
RETURNING id;
