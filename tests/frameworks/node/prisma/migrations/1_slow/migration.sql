-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
SELECT pg_sleep(CAST(current_setting('lockscope.seconds') AS float));
