// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/SnapshotComparison.h"
#include "tests/support/GraphText.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TestProgram.h"

namespace tst_SnapshotChanges {

using namespace lockscope;
using test::waitingFromText;

/// "63 got a 10 s" for each change; of a lock table the owner instead of the session.
static QString changesText(const Snapshot& before, const Snapshot& after)
{
    QStringList lines;
    for (const LockChange& change : changesBetween(before, after)) {
        const QString who =
            change.who.session.isValid() ? QString::number(change.who.session.value) : change.who.owner;
        QString line = u"%1 %2 %3"_s.arg(who, changeName(change.kind), change.resource);
        for (const SessionId blocker : change.blockers)
            line += u" <%1"_s.arg(blocker.value);
        if (change.waited)
            line += u' ' + change.waited->toString();
        lines << (change.sessionEnded ? line + u" (ended)"_s : line);
    }
    return lines.join(u"; "_s);
}

static LockTableEntry entry(const QString& owner, qint64 acquired)
{
    LockTableEntry made;
    made.table = u"locks"_s;
    made.name = u"nightly"_s;
    made.token = owner;
    made.acquiredAt = {acquired * 1'000'000};
    made.party.owner = owner;
    return made;
}

static LockTableWaiter waiter(const QString& owner, qint64 registered)
{
    LockTableWaiter made;
    made.table = u"locks"_s;
    made.name = u"nightly"_s;
    made.ticket = registered;
    made.registeredAt = {registered * 1'000'000};
    made.party.owner = owner;
    return made;
}

class tst_SnapshotChanges : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// PostgreSQL shows the first place in a row's queue as a lock on the row.
    void aPlaceInAQueueIsNotTheRow()
    {
        const auto snapshot = [](bool hasRow) {
            test::SnapshotBuilder s(hasRow ? 1 : 0);
            s.sessions({{51, "billing"}, {63, "web"}, {70, "web"}});
            s.holds(63, "transaction 741", "ExclusiveLock", 50, true, ResourceKind::TransactionId);
            if (hasRow) {
                s.holds(70, "public.orders row (0,7)", "ExclusiveLock", 1, true, ResourceKind::Row);
                s.waits(70, "transaction 741", "ShareLock", 1, ResourceKind::TransactionId);
            } else {
                s.holds(51, "transaction 740", "ExclusiveLock", 60, true, ResourceKind::TransactionId);
                s.holds(63, "public.orders row (0,7)", "ExclusiveLock", 40, true, ResourceKind::Row);
                s.waits(63, "transaction 740", "ShareLock", 40, ResourceKind::TransactionId);
                s.waits(70, "public.orders row (0,7)", "ExclusiveLock", 30, ResourceKind::Row);
            }
            return s.take();
        };
        const QString text = changesText(*snapshot(false), *snapshot(true));
        VERIFY_LACKS(text, u"row (0,7)"_s);
        VERIFY_CONTAINS(text, u"70 waits for transaction 741 <63"_s);
    }

    void ofRequests_data()
    {
        test::addColumns<QString, QString, QString>("before", "after", "changes");
        test::row("nothing", "a: 51 Exclusive, 63 ?Share@990", "a: 51 Exclusive, 63 ?Share@990", QString());
        test::row("how it stands", QString(), "a: 51 Exclusive, 63 ?Share@990",
            "51 got a; 63 waits for a <51 10 s");
        test::row(
            "a waiter comes", "a: 51 Exclusive", "a: 51 Exclusive, 63 ?Share@990", "63 waits for a <51 10 s");
        test::row("its turn", "a: 51 Exclusive, 63 ?Share@990; b: 51 Share", "a: 63 Share; b: 51 Share",
            "51 gave back a; 63 got a 10 s");
        test::row("it gives up", "a: 51 Exclusive, 63 ?Share@990; b: 63 Share",
            "a: 51 Exclusive; b: 63 Share", "63 stopped waiting for a 10 s");
        test::row("it leaves", "a: 51 Exclusive, 63 ?Share@990", "a: 51 Exclusive",
            "63 stopped waiting for a 10 s (ended)");
        test::row("the holder leaves", "a: 51 Exclusive", QString(), "51 gave back a (ended)");
    }
    void ofRequests()
    {
        FETCH(QString, before, QString, after);
        QTEST(changesText(waitingFromText(before), waitingFromText(after)), "changes");
    }

    void tablesCountOnlyWhileSomebodyWaits()
    {
        const auto table = [](const QString& text) {
            Snapshot snapshot = waitingFromText(text);
            for (Resource& resource : snapshot.resources)
                resource.key.kind = ResourceKind::Relation;
            return snapshot;
        };
        QCOMPARE(changesText(table({}), table(u"a: 51 Share; b: 51 Share"_s)), QString());
        QCOMPARE(changesText(table(u"a: 51 Share; b: 51 Share"_s),
                     table(u"a: 51 Share, 63 ?Exclusive@1000; b: 51 Share"_s)),
            u"63 waits for a <51 0 s"_s);
        QCOMPARE(changesText(
                     table(u"a: 51 Share, 63 ?Exclusive@1000; b: 51 Share"_s), table(u"a: 63 Exclusive"_s)),
            u"51 gave back a (ended); 63 got a 0 s"_s);
    }

    void ownSessionsAreLeftOut()
    {
        Snapshot after = waitingFromText(u"a: 51 Exclusive"_s);
        after.sessions.front().own = true;
        QCOMPARE(changesText({}, after), QString());
    }

    void ofLockTables()
    {
        Snapshot before = waitingFromText({});
        before.entries = {entry(u"ann"_s, 900)};
        before.entryWaiters = {waiter(u"bob"_s, 950), waiter(u"eve"_s, 960)};
        QCOMPARE(changesText(waitingFromText({}), before),
            u"ann got nightly; bob waits for nightly 50 s; eve waits for nightly 40 s"_s);
        Snapshot renewed = before;
        renewed.entries.front().expiresAt = ServerTime{5};
        QCOMPARE(changesText(before, renewed), QString());
        Snapshot after = before;
        after.entries = {entry(u"bob"_s, 970)};
        after.entryWaiters.clear();
        QCOMPARE(changesText(before, after),
            u"ann gave back nightly; bob got nightly 20 s; eve stopped waiting for nightly 40 s"_s);
    }
};

LOCKSCOPE_TEST(tst_SnapshotChanges)

} // namespace tst_SnapshotChanges
#include "tst_SnapshotChanges.moc"
