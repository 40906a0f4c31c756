-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The names of application locks that only one run has used: those that begin with $1, and its own, $2.
DELETE FROM lockscope.app_lock_name WHERE starts_with(name, $1) OR name = $2
