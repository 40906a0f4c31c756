-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Who has the name now? @P1 name.
SELECT
    e.owner,
    e.host,
    (
        SELECT
            e.name,
            e.fencing,
            e.acquired_at,
            e.expires_at,
            e.owner,
            e.host,
            e.program,
            e.process_id,
            e.session_id
        FOR JSON PATH, WITHOUT_ARRAY_WRAPPER
    )
FROM lockscope.lock_entry AS e
WHERE e.name_key = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @P1)));
