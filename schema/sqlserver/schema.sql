-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Whether Lockscope's schema is there, of which version, and whether it can be trusted.

-- name: exists
SELECT CAST(CASE WHEN OBJECT_ID(N'lockscope.schema_version', N'U') IS NULL THEN 0 ELSE 1 END AS bit);

-- name: version
SELECT TOP (10) CONVERT(nvarchar(40), version) FROM lockscope.schema_version ORDER BY version;

-- name: check
-- What keeps this session from using the schema lockscope: who owns a procedure, trigger, view or role of it acts with the
-- rights of those who use it. One row a fault: object, owner, what is wrong; whether even reading is not to be trusted. Then
-- one row without a fault if there is such a schema. install.sql asks the same. @P1: another user that the person in front
-- of us trusts, or ''.
SELECT
    f.object,
    f.owner,
    f.fault,
    CAST(CASE WHEN f.fault IS NULL THEN 0 ELSE 1 END AS bit) AS even_reading
FROM (
    SELECT
        N'schema lockscope' AS object,
        ISNULL(USER_NAME(s.principal_id), N'?') AS owner,
        N'its owner is neither dbo nor you' AS fault
    FROM sys.schemas AS s
    WHERE s.name = N'lockscope' AND s.principal_id NOT IN (DATABASE_PRINCIPAL_ID(N'dbo'), ISNULL(DATABASE_PRINCIPAL_ID(USER_NAME()), -1))
    UNION ALL
    SELECT
        N'lockscope.' + o.name,
        ISNULL(USER_NAME(o.principal_id), N'?'),
        N'its owner is another than that of the schema'
    FROM sys.objects AS o
    INNER JOIN sys.schemas AS s ON o.schema_id = s.schema_id
    WHERE
        s.name = N'lockscope' AND o.principal_id <> s.principal_id
        AND ISNULL(USER_NAME(o.principal_id), N'') <> ISNULL(USER_NAME(s.principal_id), N'?')
    UNION ALL
    SELECT
        N'lockscope.' + o.name,
        ISNULL(USER_NAME(s.principal_id), N'?'),
        CASE WHEN ours.name IS NULL THEN N'a trigger that is not Lockscope''s' ELSE N'not what Lockscope makes of this name' END
    FROM sys.objects AS o
    INNER JOIN sys.schemas AS s ON o.schema_id = s.schema_id
    LEFT OUTER JOIN (
        VALUES
        (N'schema_version', N'U'),
        (N'fencing', N'SO'),
        (N'lock_name', N'U'),
        (N'fencing_epoch', N'U'),
        (N'lock_entry', N'U'),
        (N'lock_waiter', N'U'),
        (N'app_lock_name', N'U'),
        (N'surrogate_key', N'U'),
        (N'audit_log', N'U'),
        (N'own_role', N'U'),
        (N'hint_proof', N'U'),
        (N'holders', N'V'),
        (N'waiters', N'V'),
        (N'stale', N'V'),
        (N'audit', N'V'),
        (N'AppLockFor', N'FN'),
        (N'BellPrincipal', N'FN'),
        (N'AcquireLock', N'P'),
        (N'RenewLock', N'P'),
        (N'ReleaseLock', N'P'),
        (N'LeaveQueue', N'P'),
        (N'PurgeStale', N'P'),
        (N'RecordAct', N'P'),
        (N'RecordOutcome', N'P'),
        (N'RegisterAppLockName', N'P'),
        (N'AcquireAppLock', N'P'),
        (N'ReleaseAppLock', N'P'),
        (N'LockSurrogateKey', N'P'),
        (N'MakeSurrogateTable', N'P'),
        (N'AddSurrogateTable', N'P'),
        (N'lock_entry_taken', N'TR'),
        (N'lock_entry_changed', N'TR'),
        (N'lock_entry_freed', N'TR'),
        (N'audit_log_kept', N'TR')
    ) AS ours (name, type) ON o.name COLLATE DATABASE_DEFAULT = ours.name COLLATE DATABASE_DEFAULT
    WHERE
        s.name = N'lockscope'
        AND (ours.name IS NOT NULL OR RTRIM(o.type) IN (N'TR', N'TA'))
        AND RTRIM(o.type) COLLATE DATABASE_DEFAULT <> ISNULL(ours.type, N'') COLLATE DATABASE_DEFAULT
    UNION ALL
    SELECT
        N'role ' + r.name,
        ISNULL(USER_NAME(r.owning_principal_id), N'?'),
        N'its owner is neither dbo nor you, or it is no role'
    FROM sys.database_principals AS r
    WHERE
        r.name IN (N'lockscope_reader', N'lockscope_operator', N'lockscope_admin')
        AND (
            RTRIM(r.type) <> N'R'
            OR (
                SERVERPROPERTY('BabelfishVersion') IS NULL
                AND r.owning_principal_id NOT IN (DATABASE_PRINCIPAL_ID(N'dbo'), ISNULL(DATABASE_PRINCIPAL_ID(USER_NAME()), -1))
            )
        )
    UNION ALL
    SELECT
        N'schema lockscope',
        ISNULL(USER_NAME(s.principal_id), N'?'),
        NULL
    FROM sys.schemas AS s
    WHERE s.name = N'lockscope'
) AS f
WHERE f.fault IS NULL OR f.owner <> ISNULL(@P1, N'')
ORDER BY f.object, f.owner;

-- name: uninstall_preview
-- What uninstall.sql would destroy: entries of the lock table, waiters, rows of the audit, surrogate tables and keys.
SELECT
    (SELECT COUNT_BIG(*) FROM lockscope.lock_entry) AS entries,
    (SELECT COUNT_BIG(*) FROM lockscope.lock_waiter) AS waiters,
    (SELECT COUNT_BIG(*) FROM lockscope.audit_log) AS audit_rows,
    (
        SELECT COUNT_BIG(*)
        FROM sys.tables AS t
        INNER JOIN sys.schemas AS s ON t.schema_id = s.schema_id
        WHERE s.name = N'lockscope' AND t.name LIKE N'surrogate:%'
    ) AS surrogate_tables,
    (SELECT COUNT_BIG(*) FROM lockscope.surrogate_key) AS surrogate_keys;
