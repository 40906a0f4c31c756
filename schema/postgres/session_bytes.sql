-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A database in SQL_ASCII holds any bytes. With another encoding of ours the server refuses every row that has one which
-- is no UTF-8; so they come as they are.
SET client_encoding = 'SQL_ASCII'
