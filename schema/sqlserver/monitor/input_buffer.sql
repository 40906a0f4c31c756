-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What a session's client sent last, as it was sent. Asked only of a session that sleeps and holds up others. @P1: its id.
SELECT SUBSTRING(event_info, 1, 32768)
FROM sys.dm_exec_input_buffer(@P1, NULL);
