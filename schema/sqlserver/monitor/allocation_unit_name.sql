-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What an allocation unit belongs to. @P1: its id.
SET LOCK_TIMEOUT 50;
SELECT TOP (1) s.name + N'.' + o.name
FROM {database_name}.sys.allocation_units AS a
INNER JOIN {database_name}.sys.partitions AS p ON a.container_id IN (p.hobt_id, p.partition_id)
INNER JOIN {database_name}.sys.objects AS o ON p.object_id = o.object_id
INNER JOIN {database_name}.sys.schemas AS s ON o.schema_id = s.schema_id
WHERE a.allocation_unit_id = @P1;
