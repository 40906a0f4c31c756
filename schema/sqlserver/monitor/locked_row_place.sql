-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Where to look for the row behind a lock: table and index of a heap or B-tree. @P1: its id.
SELECT
    s.name,
    o.name,
    CAST(p.index_id AS bigint),
    CAST(p.rows AS bigint)
FROM {database_name}.sys.partitions AS p
INNER JOIN {database_name}.sys.objects AS o ON p.object_id = o.object_id
INNER JOIN {database_name}.sys.schemas AS s ON o.schema_id = s.schema_id
WHERE p.hobt_id = @P1;
