// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include "core/domain/LockTable.h"
#include "tests/support/MadeFrameworks.h"
#include "tests/support/TestProgram.h"
#include "tests/ui/Desk.h"

namespace lockscope::test {

// Locks of frameworks, as the window shows them.

inline constexpr const char* prismaKey = "advisory lock 72707369";
inline const QString killed = u"Session 51 (app, JDBC) from build-7 ended while it was watched."_s;
inline const QString overturns = u"A session of that program from build-7 would overturn this."_s;
inline const LockTableKey changelogLock{u"app.databasechangeloglock"_s, u"changelog lock"_s};

/// Prisma migrates and two others wait for it; a web session holds something else.
inline SnapshotBuilder migration(bool isCertain = true, int secondsLater = 0)
{
    SnapshotBuilder s(secondsLater);
    s.session(51, "prisma").idle().user("ci", "build-7");
    s.sessions({{63, "prisma"}, {70, "prisma"}, {80, "web"}});
    s.holds(51, prismaKey, "ExclusiveLock", 720, true, ResourceKind::ApplicationLock);
    s.waits(63, prismaKey, "ExclusiveLock", 130, ResourceKind::ApplicationLock);
    s.waits(70, prismaKey, "ExclusiveLock", 90, ResourceKind::ApplicationLock);
    s.holds(80, "public.orders", "RowExclusiveLock", 5);
    s.belongs(prismaKey, prismaMatch(isCertain));
    return s;
}

inline SnapshotBuilder rows()
{
    SnapshotBuilder s;
    s.entry("nightly", "ann").lease(600, 60);
    s.entry("changelog lock", "")
        .of(liquibaseMatch(), "app.databasechangeloglock", "build-7 (10.0.0.7)",
            {HolderLife::Verdict::Gone, {killed}, overturns})
        .stored({u"1"_s, u"true"_s, u"2026-11-21 02:59:12.5"_s, u"build-7 (10.0.0.7)"_s});
    s.entry("report", "").of(shedLockMatch(), "app.shedlock", "app01", {}).lease(60, 30);
    return s;
}

/// At the time of those snapshots, and the clock stands.
struct FrameworkDesk : Desk {
    FrameworkDesk()
    {
        context.noteSnapshot(*SnapshotBuilder().take());
        context.setClockStopped(true);
    }
};

} // namespace lockscope::test
