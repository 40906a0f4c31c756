-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Who we are here, asked once per connection: login, user, database.
SELECT
    SUSER_SNAME(),
    USER_NAME(),
    CAST(DB_ID() AS bigint),
    DB_NAME();
