-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Whom a session trusts: part of schema/check, frameworks/tables and frameworks_admin/strangers, each of which has {trusted} for
-- it. install.sql, which runs by itself, asks the same in its own words.

-- name: owners
-- The roles that gain nothing if their code runs with our rights: superusers, the session's own role and roles that it is a
-- member of; to those who are no superusers, the database's owner, too. {parameter}: another role that the person in front of us
-- trusts, or ''.
SELECT r.oid
FROM pg_catalog.pg_roles AS r
CROSS JOIN (
    SELECT
        m.oid,
        m.rolsuper
    FROM pg_catalog.pg_roles AS m
    WHERE m.rolname = current_user
) AS me
WHERE
    r.rolsuper OR r.oid = me.oid OR r.rolname = {parameter}::text
    OR (
        NOT me.rolsuper
        AND (
            pg_catalog.pg_has_role(me.oid, r.oid, 'USAGE')
            OR r.oid = (SELECT d.datdba FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database())
        )
    );
