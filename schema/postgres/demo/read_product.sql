-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A product page.
SELECT title, stock FROM shop.products WHERE id = $1
