-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The report wants figures that don't move: everybody may read, nobody may write.
LOCK TABLE shop.orders IN SHARE MODE
