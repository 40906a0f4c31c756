-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Whether the rights in our schemas are those that an installation gives. {rights}: what stands in the function of that name in
-- the script of the installation, which is not called: nothing of what is asked about has a say in the answer.

-- name: is_there
-- $1: a schema.
SELECT EXISTS (SELECT FROM pg_catalog.pg_namespace AS n WHERE n.nspname = $1::text);

-- name: wrong_rights
SELECT
    w.fault,
    w.mend
FROM (SELECT NULL::text AS of_table) AS everything
CROSS JOIN LATERAL ({rights}) AS w (object, fault, mend)
ORDER BY w.fault;

-- name: wrong_roles
-- What is wrong with roles for good, and not only before they are let in.
SELECT
    w.fault,
    w.mend
FROM ({rights}) AS w (role, at_first, fault, mend)
WHERE NOT w.at_first
ORDER BY w.fault;

-- name: powers
-- Logins that are no superusers and may all the same change every table, the audit too, or (up to version 15) make themselves
-- members of every role. Login, what lets it, how to take that away (null: it comes by way of other roles).
SELECT
    r.rolname::text,
    'pg_write_all_data' AS power,
    (
        SELECT format('REVOKE pg_write_all_data FROM %I', r.rolname)
        FROM pg_catalog.pg_auth_members AS m
        WHERE m.roleid = w.oid AND m.member = r.oid
        LIMIT 1
    ) AS mend
FROM pg_catalog.pg_roles AS r
INNER JOIN pg_catalog.pg_roles AS w ON w.rolname = 'pg_write_all_data'
WHERE r.rolcanlogin AND NOT r.rolsuper AND pg_catalog.pg_has_role(r.oid, w.oid, 'MEMBER')
UNION ALL
SELECT
    r.rolname::text,
    'CREATEROLE',
    format('ALTER ROLE %I NOCREATEROLE', r.rolname)
FROM pg_catalog.pg_roles AS r
WHERE r.rolcanlogin AND NOT r.rolsuper AND r.rolcreaterole AND current_setting('server_version_num')::integer < 160000
ORDER BY 1, 2;

-- name: members
-- Who is a member of the role $1, directly or by another role, and who made him one.
WITH RECURSIVE members (member, grantor) AS (
    SELECT
        m.member,
        m.grantor
    FROM pg_catalog.pg_auth_members AS m
    INNER JOIN pg_catalog.pg_roles AS r ON m.roleid = r.oid
    WHERE r.rolname = $1::text
    UNION
    SELECT
        m.member,
        m.grantor
    FROM members AS h
    INNER JOIN pg_catalog.pg_auth_members AS m ON h.member = m.roleid
)

SELECT DISTINCT quote_ident(r.rolname) || ' (by ' || coalesce(quote_ident(g.rolname), 'a role that is gone') || ')' AS member
FROM members AS h
INNER JOIN pg_catalog.pg_roles AS r ON h.member = r.oid
LEFT OUTER JOIN pg_catalog.pg_roles AS g ON h.grantor = g.oid
ORDER BY 1;
