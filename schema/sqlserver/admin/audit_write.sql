-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Records an act. @P1 account, @P2 host and program, @P3 act, @P4 target, @P5 reason, @P6 state before as JSON, @P7 outcome.
-- Who it was, the procedure takes from the session.
SET NOCOUNT ON;
DECLARE @Origin nvarchar(MAX) = @P1 + N', ' + @P2, @Id bigint;
EXECUTE lockscope.RecordAct
    @Origin = @Origin, @Act = @P3, @Target = @P4, @Reason = @P5, @Before = @P6, @Outcome = @P7, @Id = @Id OUTPUT;
SELECT @Id;
