-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
INSERT INTO {table} ({key}, {order}, {body}) VALUES (@P1, @P2, @P3)
