-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- After a wait that ended well, or was rolled back to its savepoint.
RELEASE SAVEPOINT lockscope_wait
