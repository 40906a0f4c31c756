-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Only what kind of server this is, in the columns of session_facts.sql and in the words of every version: for one that did
-- not understand that.
SELECT
    CAST(@@SPID AS int) AS session_id,
    CAST(NULL AS bigint) AS login_time_us,
    CAST(SERVERPROPERTY('ProductVersion') AS nvarchar(128)) AS product_version,
    CAST(SERVERPROPERTY('EngineEdition') AS int) AS engine_edition,
    CAST(SERVERPROPERTY('Edition') AS nvarchar(128)) AS edition,
    CAST(SERVERPROPERTY('BabelfishVersion') AS nvarchar(128)) AS babelfish_version,
    '' AS views_that_exist,
    '' AS rights
