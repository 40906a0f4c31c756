-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Sees to it that the key has its row; that somebody else was quicker is no error. Looking first and inserting then
-- would be a race.
INSERT INTO {table} ({key}) VALUES ($1) ON CONFLICT DO NOTHING
