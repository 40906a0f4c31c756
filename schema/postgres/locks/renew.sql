-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The new end of the lease; NULL if the row is not ours any more.
SELECT lockscope.renew_lock($1, $2, $3)
