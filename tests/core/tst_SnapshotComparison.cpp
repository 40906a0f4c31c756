// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/SnapshotComparison.h"
#include "tests/support/GraphText.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TestProgram.h"

namespace tst_SnapshotComparison {

using namespace lockscope;
using test::SnapshotBuilder;

/// "new wait 63 a: - > waits 10 s" for each difference.
static QString changesText(const Snapshot& before, const Snapshot& after)
{
    QStringList lines;
    for (const SnapshotDifference& each : differencesBetween(before, after))
        lines << u"%1 %2 %3: %4 > %5"_s.arg(changeName(each.change), whatName(each.what),
            u"%1 %2"_s.arg(each.who, each.lock).simplified(), each.before.isEmpty() ? u"-"_s : each.before,
            each.after.isEmpty() ? u"-"_s : each.after);
    return lines.join(u"; "_s);
}

static Snapshot fromText(const QString& text)
{
    Snapshot snapshot = test::waitingFromText(text);
    snapshot.sessions.clear(); // these rows are about locks
    snapshot.index();
    return snapshot;
}

class tst_SnapshotComparison : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ofLocks_data()
    {
        test::addColumns<QString, QString, QString>("before", "after", "differences");
        test::row("nothing", "a: 51 Exclusive, 63 ?Share@990", "a: 51 Exclusive, 63 ?Share@990", QString());
        test::row("waits come first", "a: 51 Exclusive", "a: 51 Exclusive, 63 ?Share@990; b: 70 Share",
            "new wait 63 a: - > waits 10 s; new lock 70 b: - > holds");
        test::row("its turn", "a: 51 Exclusive, 63 ?Share@990", "a: 63 Share",
            "changed wait 63 a: waits 10 s > holds; gone lock 51 a: holds > -");
        test::row("it leaves", "a: 51 Exclusive, 63 ?Share@990", "a: 51 Exclusive",
            "gone wait 63 a: waits 10 s > -");
    }
    void ofLocks()
    {
        FETCH(QString, before, QString, after);
        QTEST(changesText(fromText(before), fromText(after)), "differences");
    }

    /// The same transaction a minute later is no difference, the next statement is one; our own sessions are
    /// left out.
    void ofSessions()
    {
        SnapshotBuilder before;
        before.session(51, "billing").idleInTransaction(300).running("UPDATE orders");
        before.session(63, "till").running("SELECT 1");
        before.session(70, "gone").idle();
        SnapshotBuilder after(60);
        after.session(51, "billing").idleInTransaction(360).running("UPDATE orders");
        after.session(63, "till").running("SELECT 2");
        after.session(80, "fresh").idle();
        after.session(90, "lockscope").own();
        QCOMPARE(changesText(*before.take(), *after.take()),
            u"new session 80 fresh: - > idle; gone session 70 gone: idle > -; changed session 63 till: active: SELECT 1 > active: SELECT 2"_s);
    }

    /// A renewed lease is no difference; another holder is two.
    void ofALockTable()
    {
        SnapshotBuilder before;
        before.entry("nightly", "ann").lease(600, 100).queue("bob", 20);
        SnapshotBuilder renewed;
        renewed.entry("nightly", "ann").lease(900, 100).queue("bob", 20);
        QCOMPARE(changesText(*before.take(), *renewed.take()), QString());
        SnapshotBuilder after(60);
        after.entry("nightly", "bob").lease(600, 10);
        const QString differences = changesText(*before.take(), *after.take());
        VERIFY_CONTAINS(differences, u"gone wait bob nightly: waits 20 s > -"_s);
        VERIFY_CONTAINS(differences, u"new lock bob nightly: - > holds 10 s"_s);
        VERIFY_CONTAINS(differences, u"gone lock ann nightly: holds 1 min 40 s > -"_s);
    }
};

LOCKSCOPE_TEST(tst_SnapshotComparison)

} // namespace tst_SnapshotComparison
#include "tst_SnapshotComparison.moc"
