-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Records an act. @P1 account, @P2 host and program, @P3 act, @P4 target, @P5 reason, @P6 state before as JSON,
-- @P7 outcome.
INSERT INTO lockscope.audit_log (who, origin, act, target, reason, [before], outcome)
OUTPUT INSERTED.id
VALUES (
    LEFT(@P1 + N' (login ' + SUSER_SNAME() + N')', 256), LEFT(@P2, 512), @P3, LEFT(@P4, 1024), @P5, @P6, @P7
);
