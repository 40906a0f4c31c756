-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Ordinary business that meets nobody.
UPDATE shop.carts SET items = (items + 1) % 20 WHERE id = $1
