-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A monitor must never be the problem: it waits for no lock longer than a moment, keeps no transaction open, changes
-- nothing, and does not compile its small queries. $1 = statement time-out in ms.
-- Settings that this server's version does not know are left out.
SELECT set_config(known.name, wanted.setting, false)
FROM (VALUES
    ('statement_timeout', $1::text),
    ('lock_timeout', '1000'),
    ('idle_in_transaction_session_timeout', '10000'),
    ('idle_session_timeout', '0'),
    ('default_transaction_read_only', 'on'),
    ('jit', 'off')
) AS wanted (name, setting)
JOIN pg_settings AS known ON known.name = wanted.name
