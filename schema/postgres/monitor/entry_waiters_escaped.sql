-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The queue as entry_waiters.sql reads it, for databases in other encodings than UTF-8: one text that can't be converted would fail
-- the whole statement. Texts come as ASCII, other bytes as \nnn; the last column says of which rows that is true.
SELECT
    left(encode(convert_to(name, 'SQL_ASCII'), 'escape'), 1000),
    ticket,
    (extract(epoch FROM least(greatest(registered_at, '0001-01-01 00:00:00+00'), '9999-12-31 23:59:59.999999+00')) * 1000000)::bigint,
    (extract(epoch FROM least(greatest(expires_at, '0001-01-01 00:00:00+00'), '9999-12-31 23:59:59.999999+00')) * 1000000)::bigint,
    left(encode(convert_to(owner, 'SQL_ASCII'), 'escape'), 1000),
    left(encode(convert_to(host, 'SQL_ASCII'), 'escape'), 1000),
    left(encode(convert_to(program, 'SQL_ASCII'), 'escape'), 1000),
    process_id,
    session_id,
    CASE WHEN registered_at < '0001-01-01 00:00:00+00' OR registered_at > '9999-12-31 23:59:59.999999+00' THEN registered_at::text END,
    CASE WHEN expires_at < '0001-01-01 00:00:00+00' OR expires_at > '9999-12-31 23:59:59.999999+00' THEN expires_at::text END,
    encode(convert_to(concat(name, owner, host, program), 'SQL_ASCII'), 'escape') <> replace(concat(name, owner, host, program), '\', '\\')
FROM lockscope.lock_waiter
ORDER BY name, ticket;
