-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Removes what install.sql made, and nothing else.
DROP TABLE IF EXISTS lockscope_lock_entry;
DROP TABLE IF EXISTS lockscope_lock_waiter;
DROP TABLE IF EXISTS lockscope_fencing;
DROP TABLE IF EXISTS lockscope_audit_log;
DROP TABLE IF EXISTS lockscope_schema_version;
