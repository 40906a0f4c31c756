-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The fencing number that acquire.sql gave out is used up.
UPDATE lockscope_fencing SET last = last + 1
