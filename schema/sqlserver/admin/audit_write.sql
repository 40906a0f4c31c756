-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Records an act. @p1 account, @p2 host and program, @p3 act, @p4 target, @p5 reason, @p6 state before as JSON,
-- @p7 outcome.
INSERT INTO lockscope.audit_log (who, origin, act, target, reason, [before], outcome)
OUTPUT INSERTED.id
VALUES (
    LEFT(@p1 + N' (login ' + SUSER_SNAME() + N')', 256), LEFT(@p2, 512), @p3, LEFT(@p4, 1024), @p5, @p6, @p7
);
