-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Acts as statements for sqlcmd, for persons who act there: with the comparisons of our own. What stands in braces is filled in
-- as quoted literals and names, ids and units of work as they are. sqlcmd connects with QUOTED_IDENTIFIER OFF, with which no
-- table with an index on a computed column can be written.

-- name: end_session
-- Ends exactly the session that was shown.
IF EXISTS (
    SELECT 1
    FROM sys.dm_exec_sessions
    WHERE
        session_id = {id}
        AND session_id <> @@SPID
        AND is_user_process = 1
        AND DATEDIFF_BIG(MICROSECOND, '19700101', CAST(login_time AS datetime2)) = {started}
)
BEGIN
    EXECUTE (N'KILL {id}');
END
ELSE
BEGIN
    PRINT N'Nothing was done: that session has ended.';
END;

-- name: end_unit_of_work
-- Ends exactly the orphaned distributed transaction that was shown.
IF EXISTS (SELECT 1 FROM sys.dm_tran_locks WHERE request_session_id = -2 AND request_owner_guid = '{unit}')
BEGIN
    EXECUTE (N'KILL ''{unit}''');
END
ELSE
BEGIN
    PRINT N'Nothing was done: that transaction holds no locks any more.';
END;

-- name: release_entry
-- Deletes exactly the row that was shown.
SET QUOTED_IDENTIFIER ON;
DELETE FROM lockscope.lock_entry
WHERE
    name_key = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), {entry})))
    AND fencing = {fencing};

-- name: purge_entry
-- Deletes exactly the row that was shown, if it is still stale.
SET QUOTED_IDENTIFIER ON;
DELETE FROM lockscope.lock_entry
WHERE
    name_key = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), {entry})))
    AND fencing = {fencing}
    AND expires_at <= SYSUTCDATETIME();

-- name: update_row
-- Frees exactly the row of a framework that was shown; nothing is done if several are alike.
SET QUOTED_IDENTIFIER ON;
UPDATE {table} SET {changes}
WHERE
    {compare}
    AND (
        SELECT COUNT(*)
        FROM {table}
        WHERE
            {compare}
    ) = 1;

-- name: delete_row
-- Frees exactly the row of a framework that was shown; nothing is done if several are alike.
SET QUOTED_IDENTIFIER ON;
DELETE FROM {table}
WHERE
    {compare}
    AND (
        SELECT COUNT(*)
        FROM {table}
        WHERE
            {compare}
    ) = 1;
