-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- An order goes on to its next state.
UPDATE shop.orders SET state = $2, changed_at = clock_timestamp() WHERE id = $1
