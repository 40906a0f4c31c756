-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The path of a scenario run, whose SQL makes and uses objects of the run's own schema. pg_catalog, which is not named,
-- is searched before it; if it were named, it would be where new objects go.
SET search_path = {schema}, pg_temp
