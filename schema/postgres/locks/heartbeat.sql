-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Whether the session that holds a lock still gets an answer.
/* heartbeat of a lock's holder */ SELECT 1
