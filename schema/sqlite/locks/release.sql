-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Frees a name if the row is still ours.
DELETE FROM lockscope_lock_entry WHERE name = ?1 AND token = ?2
