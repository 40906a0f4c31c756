-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
INSERT INTO {table} ({key}, {order}, {body}) VALUES (@p1, @p2, @p3)
