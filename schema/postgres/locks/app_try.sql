-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- An application lock, or false at once. {try} is one of the pg_try_advisory… functions.
/* try an application lock */ SELECT {try}(hashtextextended($1, 0))
