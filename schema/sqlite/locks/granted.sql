-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What acquire.sql has obtained. ?1 name, ?2 token.
SELECT fencing, acquired_at, expires_at FROM lockscope_lock_entry WHERE name = ?1 AND token = ?2
