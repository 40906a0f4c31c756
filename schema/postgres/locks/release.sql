-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- True if the row was still ours and is gone now.
SELECT lockscope.release_lock($1, $2)
