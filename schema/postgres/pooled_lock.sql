-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What session_lock.sql sets, for one transaction behind a pooler: all ends with it. Resolves nothing in the path.
SELECT
    pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true),
    pg_catalog.set_config('application_name', '{application}', true),
    pg_catalog.set_config('statement_timeout', '{statement_timeout}', true),
    pg_catalog.set_config('lock_timeout', '0', true),
    pg_catalog.set_config('idle_in_transaction_session_timeout', '0', true),
    pg_catalog.set_config('enable_seqscan', 'off', true),
    pg_catalog.set_config('client_encoding', '{encoding}', true),
    pg_catalog.set_config('datestyle', 'ISO', true),
    pg_catalog.set_config('jit', 'off', true)
