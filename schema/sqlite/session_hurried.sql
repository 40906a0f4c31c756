-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What comes next need not survive a power failure: a waiter's sign of life. With a write-ahead log the file stays whole.
PRAGMA synchronous = NORMAL;
