-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A migration: short by itself, but it waits for every reader, and every later reader waits for it.
ALTER TABLE shop.products ALTER COLUMN weight_g SET DEFAULT 0
