-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A monitor must never be the problem: it waits for no lock longer than a moment, keeps no transaction open, changes
-- nothing, and does not compile its small queries. $1 = statement time-out in ms, $2 = application
-- name.
-- Settings that this server's version does not know are left out.
SELECT pg_catalog.set_config(known.name, wanted.setting, false)
FROM (VALUES
    ('statement_timeout', $1::text),
    ('application_name', $2),
    ('lock_timeout', '1000'),
    ('idle_in_transaction_session_timeout', '10000'),
    ('idle_session_timeout', '0'),
    ('default_transaction_read_only', 'on'),
    ('DateStyle', 'ISO'),
    ('jit', 'off')
) AS wanted (name, setting)
JOIN pg_catalog.pg_settings AS known ON known.name = wanted.name
