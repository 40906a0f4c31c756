-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Before anything else: names, operators and casts are the system's, whatever others have planted in other schemas, and
-- whatever the database or the role sets. Temporary objects come last, or they would come first.
SET search_path = pg_catalog, pg_temp
