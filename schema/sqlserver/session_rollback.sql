-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The server may have rolled back already: after a deadlock, or after any error under XACT_ABORT.
IF @@TRANCOUNT > 0 ROLLBACK TRANSACTION
