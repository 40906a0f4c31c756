-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The private server of the sandbox.

-- name: create_database
-- Makes the sandbox's database. Run once by `postgres --single`, which takes one statement a line.
CREATE DATABASE lockscope;
