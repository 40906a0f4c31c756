-- SPDX-FileCopyrightText: 2026 The Lockscope authors
-- SPDX-License-Identifier: MIT
-- The lock table: taking, renewing and releasing entries, and whether their holders live.

-- name: acquire
-- Takes a lock-table name, or waits for it, or says who has it; see install.sql.
EXECUTE lockscope.AcquireLock
    @Name = @P1, @Token = @P2, @LeaseUs = @P3, @WaitMs = @P4, @Ticket = @P5, @Owner = @P6, @Host = @P7, @Program = @P8,
    @ProcessId = @P9;

-- name: renew
-- The new end of the lease; NULL if the row is not ours any more.
EXECUTE lockscope.RenewLock @Name = @P1, @Token = @P2, @LeaseUs = @P3;

-- name: release
-- True if the row was still ours and is gone now.
EXECUTE lockscope.ReleaseLock @Name = @P1, @Token = @P2;

-- name: leave_queue
-- A waiter gives up, with whatever was granted to it meanwhile.
EXECUTE lockscope.LeaveQueue @Name = @P1, @Token = @P2;

-- name: heartbeat
-- Whether the session that holds a lock still gets an answer.
/* heartbeat of a lock's holder */ SELECT 1;

-- name: held_entry
-- Whether a grant still has its row, and no other server has taken over since. @P1 name, @P2 token.
SELECT 1
FROM lockscope.lock_entry AS e
INNER JOIN lockscope.fencing_epoch AS f ON e.fencing >= f.epoch * CONVERT(bigint, 1099511627776)
WHERE
    e.name_key = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @P1))) AND e.token = @P2
    AND f.server_name = ISNULL(CONVERT(nvarchar(256), SERVERPROPERTY('ServerName')), N'');

-- name: entry_age
-- For how long somebody has had the name, in microseconds; no row if nobody has it.
SELECT DATEDIFF_BIG(MICROSECOND, e.acquired_at, SYSUTCDATETIME())
FROM lockscope.lock_entry AS e
WHERE e.name_key = CONVERT(varbinary(32), HASHBYTES('SHA2_256', CONVERT(nvarchar(255), @P1)));

-- name: mark
-- Marks this session as alive: an application lock that nobody else uses. No right is needed to see that it is held.
SET NOCOUNT ON;
DECLARE @Answer int;
EXECUTE @Answer = sys.sp_getapplock @Resource = @P1, @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = 0;
SELECT @Answer;

-- name: mark_lives
-- Whether a session that marked itself is still there.
SELECT 1 WHERE APPLOCK_TEST(N'public', CONVERT(nvarchar(255), @P1), N'Exclusive', N'Session') = 0;
