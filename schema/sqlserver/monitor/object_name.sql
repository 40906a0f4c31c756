-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The name of an object. @P1: its id. From the catalogue and not by OBJECT_NAME(), which waits for whoever alters it.
-- Whoever alters something stalls no poll for more than a moment; the setting ends with the statement.
SET LOCK_TIMEOUT 50;
SELECT s.name + N'.' + o.name + CASE o.type
    WHEN 'V' THEN N' (view)'
    WHEN 'P' THEN N' (procedure)'
    WHEN 'SO' THEN N' (sequence)'
    WHEN 'SQ' THEN N' (queue)'
    WHEN 'S' THEN N' (system table)'
    ELSE N''
END
FROM {database_name}.sys.objects AS o
INNER JOIN {database_name}.sys.schemas AS s ON o.schema_id = s.schema_id
WHERE o.object_id = @P1;
