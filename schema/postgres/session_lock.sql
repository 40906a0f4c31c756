-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A lock lives as long as its session, so nothing may end that session or cut a wait but its owner ($1 = statement
-- time-out in ms, 0 = none). The server looks for the client's end once a second, so that the waiter of a killed program
-- leaves the queue (only where the server's system can).
-- Plan trap: a statement planned while the lock table was empty keeps a sequential scan for ever; hence no such plans.
-- Settings that this server's version does not know are left out.
SELECT set_config(known.name, wanted.setting, false)
FROM (VALUES
    ('statement_timeout', $1::text),
    ('lock_timeout', '0'),
    ('idle_in_transaction_session_timeout', '0'),
    ('idle_session_timeout', '0'),
    ('enable_seqscan', 'off'),
    ('jit', 'off'),
    ('client_connection_check_interval', CASE WHEN version() LIKE '%linux%' THEN '1000' ELSE '0' END)
) AS wanted (name, setting)
JOIN pg_settings AS known ON known.name = wanted.name
