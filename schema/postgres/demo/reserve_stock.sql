-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- One piece less on the shelf.
UPDATE shop.products SET stock = stock - 1 WHERE id = $1
