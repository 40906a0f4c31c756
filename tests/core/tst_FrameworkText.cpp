// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Texts about the locks of frameworks.

#include "core/domain/BlockingForest.h"
#include "core/domain/FrameworkText.h"
#include "tests/support/GraphText.h"
#include "tests/support/TestProgram.h"

namespace tst_FrameworkText {

using namespace lockscope;
using test::snapshotFromText;

static FrameworkMatchPtr match(
    const QString& framework, const QString& name, bool certain = true, const FrameworkLock& lock = {})
{
    auto definition = std::make_shared<Framework>();
    definition->id = framework.toLower();
    definition->name = framework;
    definition->locks = {lock};
    auto made = std::make_shared<FrameworkMatch>();
    made->framework = definition->id;
    made->frameworkName = framework;
    made->name = name;
    made->certain = certain;
    made->definition = definition;
    made->lockDefinition = &definition->locks.front();
    return made;
}

static Snapshot prismaHoldsUp(const QString& text)
{
    Snapshot snapshot = snapshotFromText(text);
    for (Resource& resource : snapshot.resources)
        if (resource.name == u"advisory lock 72707369")
            resource.framework = match(u"Prisma"_s, u"migrate"_s);
    for (Session& session : snapshot.sessions) {
        session.user = u"ci"_s;
        session.host = u"build-7"_s;
        session.state = SessionState::Idle;
        session.stateSince = ServerTime{280'000'000};
    }
    for (LockRequest& request : snapshot.requests)
        request.sinceExact = true;
    addWaits(snapshot);
    return snapshot;
}

class tst_FrameworkText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void titlesSayTheNameOnce()
    {
        QCOMPARE(frameworkLockTitle(*match(u"Prisma"_s, u"migrate"_s)), u"Prisma migrate"_s);
        QCOMPARE(frameworkLockTitle(*match(u"Prisma"_s, {})), u"Prisma"_s);
        QCOMPARE(frameworkLockTitle(*match(u"Airflow"_s, u"scheduler"_s, false)), u"Airflow? scheduler"_s);
        QCOMPARE(frameworkLockTitle(*match(u"Quartz"_s, u"Quartz triggers"_s)), u"Quartz triggers"_s);
        LockTableEntry entry;
        entry.name = u"nightly"_s;
        QCOMPARE(frameworkLockTitle(entry), u"nightly"_s); // ours
        entry.framework = match(u"ShedLock"_s, u"task"_s);
        QCOMPARE(frameworkLockTitle(entry), u"ShedLock nightly"_s);
        // The doubt is not lost with the second name.
        QVERIFY(frameworkLockTitle(*match(u"Quartz"_s, u"Quartz triggers"_s, false)).contains(u'?'));
    }

    void whatHappensIsReportedOfTheVeryLock()
    {
        FrameworkLock lock;
        lock.purpose = u"One job runs at a time."_s;
        lock.ends = u"Never by itself."_s;
        lock.danger = u"Two run at once."_s;
        lock.vendorCommand = u"ours unlock"_s;
        lock.vendorNote = u"Frees all."_s;
        lock.row.expires = FrameworkTime{};
        lock.row.expires->column = u"until"_s;
        lock.row.expires->clocks = {
            {Engine::Postgres, FrameworkClock::Utc}, {Engine::Sqlite, FrameworkClock::Application}};
        LockTableEntry entry;
        entry.framework = match(u"Ours"_s, u"turn"_s, true, lock);
        entry.expiresAt = ServerTime{100'000'000};
        entry.holderLife = {HolderLife::Verdict::Gone, {u"No session from app01 is left."_s}, {}};
        const WhatHappens effects = whatHappens(entry, ServerTime{40'000'000});
        COMPARE_TEXTS(effects.now, "It expires in 1 min.", "Its holder is gone.");
        QCOMPARE(effects.purpose, lock.purpose);
        QCOMPARE(effects.ends, lock.ends);
        QCOMPARE(effects.danger, lock.danger);
        QCOMPARE(effects.vendorCommand, lock.vendorCommand);
        QCOMPARE(effects.vendorNote, lock.vendorNote);
        QCOMPARE(whatHappens(entry, ServerTime{160'000'000}).now.first(), u"It expired 1 min ago."_s);
        // An end whose zone is unknown has no time.
        entry.holderLife = {};
        entry.expiresAt.reset();
        COMPARE_TEXTS(
            whatHappens(entry, ServerTime{40'000'000}).now, "It is unknown whether its holder works.");
        // The lock of a session ends with it, so there is no such text.
        WhatHappens ofSession = effects;
        ofSession.now.clear();
        QCOMPARE(whatHappens(*entry.framework), ofSession);
        QCOMPARE(whatHappens(LockTableEntry(), ServerTime{}), WhatHappens());
    }

    void theDiagnosisNamesWhatIsHeld()
    {
        const Snapshot snapshot = prismaHoldsUp(
            u"advisory lock 72707369: 51 Exclusive@280, 63 ?Exclusive@900, 70 ?Exclusive@950"_s);
        Snapshot named = snapshot;
        named.resources[0].key.kind = ResourceKind::ApplicationLock;
        VERIFY_CONTAINS(diagnose(named, SessionId{51}, LockThresholds().hold.amber).summary,
            u"holding Prisma migrate (advisory lock 72707369)"_s);
        QVERIFY(diagnose(named, SessionId{63}, LockThresholds().hold.amber)
                    .summary.contains(u"Prisma migrate"_s));
        const FrameworkRole role = frameworkRoleOf(snapshot, SessionId{51});
        QVERIFY(role.isWaitedFor);
        QCOMPARE(frameworkSummary(snapshot, role), u"Prisma migrate, run by ci@build-7 for 12 min"_s);
        QVERIFY(!frameworkRoleOf(snapshot, SessionId{63}).isWaitedFor);
        QVERIFY(!frameworkRoleOf(snapshot, SessionId{4}).match);
    }

    /// A lock of a framework that blocks nobody is not the reason for the waits.
    void whatIsInNobodysWayIsNotWhy()
    {
        const Snapshot snapshot = prismaHoldsUp(
            u"orders: 51 Exclusive, 63 ?Exclusive@900; advisory lock 72707369: 51 Exclusive@280"_s);
        const auto forest = blockingForest(snapshot, LockThresholds().hold.amber);
        QCOMPARE(forest.size(), size_t(1));
        QVERIFY(forest[0].row.framework);
        QVERIFY(!frameworkRoleOf(snapshot, SessionId{51}).isWaitedFor);
        QVERIFY(!forest[0].children[0].row.framework);
        const Snapshot held = prismaHoldsUp(u"advisory lock 72707369: 51 Exclusive@280, 63 ?Exclusive@900"_s);
        QVERIFY(frameworkRoleOf(held, SessionId{51}).isWaitedFor);
        QVERIFY(frameworkRoleOf(held, SessionId{63}).request->isWaiting());
        // It is in the monitor's way only.
        Snapshot own = prismaHoldsUp(u"advisory lock 72707369: 51 Exclusive@280, 63 ?Exclusive@900"_s);
        for (Session& session : own.sessions)
            session.own = session.id == SessionId{63};
        QVERIFY(!frameworkRoleOf(own, SessionId{51}).isWaitedFor);
    }

    /// The lock that others wait for is reported before others, and a certain one before an uncertain one.
    void whatIsAwaitedIsReportedFirst()
    {
        Snapshot snapshot = prismaHoldsUp(
            u"leader: 51 Exclusive; advisory lock 72707369: 51 Exclusive@280, 63 ?Exclusive@900"_s);
        snapshot.resources[0].framework = match(u"River"_s, u"leader"_s);
        QCOMPARE(frameworkRoleOf(snapshot, SessionId{51}).match->framework, u"prisma"_s);
        Snapshot peace = prismaHoldsUp(u"a: 51 Exclusive; b: 51 Exclusive"_s);
        peace.resources[0].framework = match(u"Airflow"_s, u"key 1"_s, false);
        peace.resources[1].framework = match(u"River"_s, u"leader"_s);
        QCOMPARE(frameworkRoleOf(peace, SessionId{51}).match->framework, u"river"_s);
    }

    /// A client's local time is no point in time: it is shown as it is stored.
    void aForeignClockIsReportedAsItIsStored()
    {
        FrameworkLock lock;
        lock.row.compare = {u"id"_s, u"LOCKED"_s, u"LockGranted"_s};
        lock.row.since = FrameworkTime{u"lockgranted"_s, {}, {}};
        LockTableEntry entry;
        entry.framework = match(u"Liquibase"_s, u"changelog lock"_s, true, lock);
        entry.stored = QStringList{u"1"_s, u"true"_s, u"2026-11-22 12:00:00.5"_s};
        QCOMPARE(storedSince(entry), u"2026-11-22 12:00:00.5"_s);
        QCOMPARE(storedExpiry(entry), QString());
        entry.acquiredAt = ServerTime{1};
        QCOMPARE(storedSince(entry), QString());
        QCOMPARE(storedSince(LockTableEntry()), QString());
    }

    void whatMustNotBeTouchedSaysWhy()
    {
        FrameworkLock lock;
        lock.danger = u"Never delete the row."_s;
        lock.row.mayBeFreed = false;
        LockTableEntry entry;
        QCOMPARE(reasonAgainstFreeing(entry), QString()); // ours
        entry.framework = match(u"ShedLock"_s, u"job"_s, true, lock);
        QCOMPARE(reasonAgainstFreeing(entry), u"Never delete the row."_s);
        lock.row.mayBeFreed = true;
        entry.framework = match(u"ShedLock"_s, u"job"_s, true, lock);
        QCOMPARE(reasonAgainstFreeing(entry), QString());
        // Read from a file of another program: what it means is not known.
        auto bare = std::make_shared<FrameworkMatch>();
        bare->frameworkName = u"Unheard of"_s;
        entry.framework = bare;
        QVERIFY(reasonAgainstFreeing(entry).contains(u"Unheard of"_s));
    }

    void whatWasLeftBehindLongestIsReported()
    {
        Snapshot snapshot;
        QVERIFY(!leftBehind(snapshot));
        const auto add = [&](const char* name, HolderLife::Verdict life, qint64 since, bool ours = false) {
            LockTableEntry entry;
            entry.name = QLatin1String(name);
            entry.acquiredAt = ServerTime{since};
            entry.holderLife.verdict = life;
            if (!ours)
                entry.framework = match(u"Liquibase"_s, entry.name);
            snapshot.entries.push_back(entry);
        };
        add("works", HolderLife::Verdict::Works, 1);
        add("silent", HolderLife::Verdict::Silent, 1);
        add("unknown", HolderLife::Verdict::Unknown, 1);
        add("ours", HolderLife::Verdict::Gone, 1, true);
        QVERIFY(!leftBehind(snapshot));
        add("late", HolderLife::Verdict::Gone, 9);
        add("early", HolderLife::Verdict::Gone, 5);
        add("no moment", HolderLife::Verdict::Gone, 0);
        QCOMPARE(leftBehind(snapshot)->name, u"early"_s);
    }
};

LOCKSCOPE_TEST(tst_FrameworkText)

} // namespace tst_FrameworkText
#include "tst_FrameworkText.moc"
