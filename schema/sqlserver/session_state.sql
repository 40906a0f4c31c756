-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Whether a transaction is open, and whether it can still be committed (1), or only rolled back (-1).
SELECT
    CAST(@@TRANCOUNT AS int) AS open_transactions,
    CAST(XACT_STATE() AS int) AS transaction_state
