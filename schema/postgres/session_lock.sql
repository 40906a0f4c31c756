-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A lock lives as long as its session, so nothing may end that session or cut a wait but its owner ($1 = statement
-- time-out in ms, 0 = none; $2 = application name). The server looks for the client's end once a second, so that the
-- waiter of a killed program leaves the queue (only where the server's system can).
-- It looks for a machine that vanished from the network, too, but later than the holder looks for the server: after 20 s
-- without a sign, when the holder has known for 8 s that its lock is lost.
-- Plan trap: a statement planned while the lock table was empty keeps a sequential scan for ever; hence no such plans.
-- Settings that this server's version does not know are left out.
SELECT pg_catalog.set_config(known.name, wanted.setting, false)
FROM (VALUES
    ('statement_timeout', $1::text),
    ('application_name', $2),
    ('lock_timeout', '0'),
    ('idle_in_transaction_session_timeout', '0'),
    ('idle_session_timeout', '0'),
    ('tcp_keepalives_idle', '10'),
    ('tcp_keepalives_interval', '5'),
    ('tcp_keepalives_count', '3'),
    ('tcp_user_timeout', '20000'),
    ('enable_seqscan', 'off'),
    ('DateStyle', 'ISO'),
    ('jit', 'off'),
    ('client_connection_check_interval', CASE WHEN version() LIKE '%linux%' THEN '1000' ELSE '0' END)
) AS wanted (name, setting)
JOIN pg_catalog.pg_settings AS known ON known.name = wanted.name
