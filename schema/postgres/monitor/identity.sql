-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Who we are here, asked once per connection.
SELECT
    current_user::text,
    d.oid::bigint
FROM pg_catalog.pg_database AS d
WHERE d.datname = current_database();
