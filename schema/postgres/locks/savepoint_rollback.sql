-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- After a wait that ended in an error.
ROLLBACK TO SAVEPOINT lockscope_wait
