-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- Since when each session's transaction is open: no lock of it is older. State 7 is a rollback under way. A transaction has
-- its log in each database that it writes to.
SELECT
    CAST(s.session_id AS bigint),
    a.transaction_id,
    DATEDIFF_BIG(
        MICROSECOND,
        '19700101',
        DATEADD(
            MINUTE,
            -DATEPART(TZOFFSET, SYSDATETIMEOFFSET()),
            CAST(NULLIF(a.transaction_begin_time, CAST('19000101' AS datetime)) AS datetime2)
        )
    ),
    CAST(a.transaction_state AS int),
    CAST(d.log_bytes AS bigint)
FROM sys.dm_tran_session_transactions AS s
INNER JOIN sys.dm_tran_active_transactions AS a ON s.transaction_id = a.transaction_id
LEFT OUTER JOIN (
    SELECT
        transaction_id,
        SUM(database_transaction_log_bytes_used) AS log_bytes
    FROM sys.dm_tran_database_transactions
    GROUP BY transaction_id
) AS d ON a.transaction_id = d.transaction_id
WHERE s.is_user_transaction = 1;
