-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- One release for one acquire; false if the session does not hold it.
/* release an application lock */ SELECT {unlock}(hashtextextended($1, 0))
