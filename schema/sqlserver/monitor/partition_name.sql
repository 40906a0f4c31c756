-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What a row, page or key lock stands in: table, index and partition. @P1: the id of the heap or B-tree.
SET LOCK_TIMEOUT 50;
SELECT TOP (1) s.name + N'.' + o.name
    + CASE WHEN i.index_id > 1 THEN N' (index ' + i.name + N')' ELSE N'' END
    + CASE WHEN p.partition_number > 1 THEN N' (partition ' + CAST(p.partition_number AS nvarchar(11)) + N')' ELSE N'' END
FROM {database_name}.sys.partitions AS p
INNER JOIN {database_name}.sys.objects AS o ON p.object_id = o.object_id
INNER JOIN {database_name}.sys.schemas AS s ON o.schema_id = s.schema_id
INNER JOIN {database_name}.sys.indexes AS i ON p.object_id = i.object_id AND p.index_id = i.index_id
WHERE p.hobt_id = @P1;
