-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
CREATE TABLE {table} ({key} bigint NOT NULL PRIMARY KEY, {order} int NULL, {body} nvarchar(200) NULL, {stamp} {type})
