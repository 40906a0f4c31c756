-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- What is in the schema @P1 of a run, its mark last: while it is there, the run is found.
SELECT
    o.name,
    RTRIM(o.type)
FROM sys.objects AS o
INNER JOIN sys.schemas AS s ON o.schema_id = s.schema_id
WHERE s.name = @P1 AND o.type IN ('U', 'P', 'SO')
ORDER BY CASE WHEN o.name = N'lockscope_run' THEN 1 ELSE 0 END, o.object_id DESC
