-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Makes room for version 2 of the tables, which have checks; upgrade_end.sql brings the entries back. Who waits at this
-- moment registers anew by itself.
DROP TRIGGER IF EXISTS lockscope_entry_insert;
DROP TRIGGER IF EXISTS lockscope_entry_take_over;
DROP TRIGGER IF EXISTS lockscope_entry_inserted;
DROP TRIGGER IF EXISTS lockscope_entry_taken_over;
DROP TABLE lockscope_lock_waiter;
ALTER TABLE lockscope_lock_entry RENAME TO lockscope_old_entry;
