-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A wait that ends in an error must not abort the caller's transaction.
SAVEPOINT lockscope_wait
