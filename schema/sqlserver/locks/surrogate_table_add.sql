-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Makes the surrogate table of a name; see install.sql.
EXECUTE lockscope.AddSurrogateTable @Name = @P1
