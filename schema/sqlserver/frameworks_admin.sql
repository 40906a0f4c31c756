-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Frees the rows by which frameworks lock. {compare}, {changes}, {fields} and {values} are made of quoted names, casts and
-- values by the program (core/admin/ByHand.cpp).

-- name: strangers
-- Whose code would run with our rights if a row of this table were changed? One row a fault: what, whose, what is wrong.
-- @P1 schema, @P2 table, @P3 another user that the person in front of us trusts, or '', @P4 the owner with whom this person
-- has approved the table, or '', or NULL: any owner.
-- Trusted are dbo, db_owner and the session's own user. Asked while the row is held: a trigger needs a lock that nobody gets then.
SELECT
    f.object,
    f.owner,
    f.fault
FROM (
    SELECT
        t.name AS object,
        ISNULL(USER_NAME(ISNULL(t.principal_id, s.principal_id)), N'?') AS owner,
        N'its owner is neither dbo nor you' AS fault
    FROM sys.tables AS t
    INNER JOIN sys.schemas AS s ON t.schema_id = s.schema_id
    WHERE
        s.name = @P1 AND t.name = @P2
        AND ISNULL(t.principal_id, s.principal_id)
        NOT IN (
            DATABASE_PRINCIPAL_ID(N'dbo'), DATABASE_PRINCIPAL_ID(N'db_owner'), ISNULL(DATABASE_PRINCIPAL_ID(USER_NAME()), -1)
        )
        AND ISNULL(USER_NAME(ISNULL(t.principal_id, s.principal_id)), N'?') <> @P4
    UNION ALL
    SELECT
        t.name,
        ISNULL(USER_NAME(ISNULL(t.principal_id, s.principal_id)), N'?'),
        N'whether it has triggers can''t be seen: GRANT VIEW DEFINITION'
    FROM sys.tables AS t
    INNER JOIN sys.schemas AS s ON t.schema_id = s.schema_id
    WHERE
        s.name = @P1 AND t.name = @P2
        AND ISNULL(t.principal_id, s.principal_id)
        NOT IN (
            DATABASE_PRINCIPAL_ID(N'dbo'), DATABASE_PRINCIPAL_ID(N'db_owner'), ISNULL(DATABASE_PRINCIPAL_ID(USER_NAME()), -1)
        )
        AND ISNULL(HAS_PERMS_BY_NAME(QUOTENAME(s.name) + N'.' + QUOTENAME(t.name), N'OBJECT', N'VIEW DEFINITION'), 0) = 0
    UNION ALL
    SELECT
        N'trigger ' + g.name,
        ISNULL(USER_NAME(ISNULL(t.principal_id, s.principal_id)), N'?'),
        N'it would run with your rights'
    FROM sys.triggers AS g
    INNER JOIN sys.tables AS t ON g.parent_id = t.object_id
    INNER JOIN sys.schemas AS s ON t.schema_id = s.schema_id
    WHERE
        s.name = @P1 AND t.name = @P2 AND g.is_disabled = 0
        AND ISNULL(t.principal_id, s.principal_id)
        NOT IN (
            DATABASE_PRINCIPAL_ID(N'dbo'), DATABASE_PRINCIPAL_ID(N'db_owner'), ISNULL(DATABASE_PRINCIPAL_ID(USER_NAME()), -1)
        )
    UNION ALL
    SELECT
        @P2,
        N'?',
        N'it is no table any more'
    WHERE
        NOT EXISTS (
            SELECT 1
            FROM sys.tables AS t
            INNER JOIN sys.schemas AS s ON t.schema_id = s.schema_id
            WHERE s.name = @P1 AND t.name = @P2
        )
) AS f
WHERE f.owner <> ISNULL(@P3, N'')
ORDER BY f.object, f.owner, f.fault;

-- name: rows
-- What the row is, as JSON, and keeps others from changing it for the rest of the transaction; of several alike two.
SELECT TOP (2)
    (SELECT {fields} FOR JSON PATH, WITHOUT_ARRAY_WRAPPER, INCLUDE_NULL_VALUES)
FROM {table} AS t WITH (UPDLOCK, ROWLOCK)
WHERE {compare};

-- name: update_row
-- Frees exactly the row that was shown.
UPDATE {table} SET {changes}
WHERE {compare};

-- name: delete_row
-- Frees exactly the row that was shown.
DELETE FROM {table}
WHERE {compare};

-- name: row_now
-- What the row of this key has now in the columns that are compared.
SELECT TOP (2) {values}
FROM {table}
WHERE {compare};
