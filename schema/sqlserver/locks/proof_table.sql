-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- A table for two sessions that try out what this server does with locking hints. It goes with the session that made it.
CREATE TABLE {table} (id int NOT NULL PRIMARY KEY);
INSERT INTO {table} (id) VALUES (1), (2)
