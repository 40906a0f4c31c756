-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Records an act. @p1 account, @p2 host and program, @p3 act, @p4 target, @p5 reason, @p6 state before as JSON,
-- @p7 outcome.
INSERT INTO lockscope.audit_log (who, origin, act, target, reason, [before], outcome)
OUTPUT INSERTED.id
VALUES (@p1 + N' (login ' + SUSER_SNAME() + N')', @p2, @p3, @p4, @p5, @p6, @p7);
