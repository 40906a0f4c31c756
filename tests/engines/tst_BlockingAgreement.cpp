// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The short form; tst_BlockingAgreementSoak is the long one.

#include "core/admin/ServerAdmin.h"
#include "core/domain/Aftermath.h"
#include "core/domain/BlockingGraph.h"
#include "core/domain/Diagnosis.h"
#include "tests/support/RandomContention.h"
#include "tests/support/TestProgram.h"

namespace tst_BlockingAgreement {

using namespace lockscope;
using namespace lockscope::test;

constexpr auto server = &TestServer::shared;

/// A report runs, ALTER TABLE waits for it, and all others wait for ALTER TABLE: on a database of its own,
/// and an administrator there.
struct Jam {
    Jam()
    {
        server().run(profile.url, u"CREATE TABLE public.orders (id int PRIMARY KEY, price numeric)"_s);
        server().run(profile.url, u"INSERT INTO public.orders VALUES (1, 17)"_s);
        connection = server().connect(profile.url, {.purpose = db::Purpose::Admin});
        admin = std::make_unique<admin::ServerAdmin>(*connection, profile);
    }
    bool begins()
    {
        if (!report.run(u"BEGIN"_s) || !report.run(u"SELECT sum(price) FROM orders"_s))
            return false;
        report.start(u"SELECT pg_sleep(120)"_s);
        migration.start(u"ALTER TABLE orders ADD COLUMN note text"_s);
        if (!migration.waitUntilBlocked())
            return false;
        for (auto* each : {&reader, &writer, &other}) {
            each->start(each == &writer ? u"UPDATE orders SET price = 18 WHERE id = 1"_s
                                        : u"SELECT count(*) FROM orders"_s);
            if (!each->waitUntilBlocked())
                return false;
        }
        return true;
    }
    SnapshotPtr snapshot() { return source->take({}).value_or(nullptr); }

    db::ServerProfile profile = test::profileOf(server().freshDatabase(TestServer::Schema::Install));
    std::unique_ptr<db::Connection> connection;
    std::unique_ptr<admin::ServerAdmin> admin;
    std::unique_ptr<monitor::SnapshotSource> source =
        monitor::makeSnapshotSource(server().at(profile.url), {});
    test::Session report{server(), profile.url, u"report"_s};
    test::Session migration{server(), profile.url, u"migration"_s};
    test::Session reader{server(), profile.url, u"reader"_s};
    test::Session writer{server(), profile.url, u"writer"_s};
    test::Session other{server(), profile.url, u"other"_s};
};

/// The waits that we compute from pg_locks alone are those that the server itself names, and the advice that
/// follows from them is true there.
class tst_BlockingAgreement : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void randomContention_data()
    {
        QTest::addColumn<unsigned>("seed");
        for (unsigned seed = 1; seed <= 25; ++seed)
            QTest::addRow("seed %u", seed) << seed;
    }
    void randomContention()
    {
        QFETCH(const unsigned, seed);
        RandomContention contention(TestServer::shared(), {seed});
        QCOMPARE(contention.run(), QString());
        QVERIFY(contention.waiters() > 0);
    }

    void theOtherActLetsTheOthersGoOn()
    {
        Jam jam;
        QVERIFY(jam.begins());
        const SnapshotPtr snapshot = jam.snapshot();
        QVERIFY(snapshot);
        QCOMPARE(snapshot->blocking().heads().front().session, jam.report.id());
        const auto advised = otherActThanEnding(*snapshot, jam.report.id());
        QVERIFY(advised);
        QCOMPARE(advised->session, jam.migration.id());
        QVERIFY(advised->cancels && advised->isBetter);
        QCOMPARE(advised->text,
            u"cancel %1 (ALTER TABLE): 3 go on, %2 keeps running"_s.arg(jam.migration.id().value)
                .arg(jam.report.id().value));
        VERIFY_CONTAINS(advised->losses, u"that has written nothing; ending"_s);
        QVERIFY(
            diagnose(*snapshot, jam.report.id(), LockThresholds().hold.amber).remedy.contains(advised->text));

        QVERIFY(jam.admin->cancelSession(*snapshot->session(advised->session), u"OPS-29"_s));
        QVERIFY(!jam.migration.wait()); // it was cancelled
        QVERIFY(jam.reader.wait() && jam.writer.wait() && jam.other.wait());
        QVERIFY(jam.report.isRunning());
        const SnapshotPtr after = jam.snapshot();
        QVERIFY(after && after->waits.empty());
        QVERIFY(after->session(jam.report.id())->transactionStarted
            == snapshot->session(jam.report.id())->transactionStarted);
        jam.report.cancel();
    }

    /// As the advice says: the migration goes on, and the others wait for it.
    void endingTheReportLetsTheMigrationGoOn()
    {
        Jam jam;
        QVERIFY(jam.migration.run(u"BEGIN"_s));
        QVERIFY(jam.begins());
        const SnapshotPtr snapshot = jam.snapshot();
        QVERIFY(otherActThanEnding(*snapshot, jam.report.id())->losses.endsWith(u", and 1 goes on."_s));
        QVERIFY(jam.admin->endSession(*snapshot->session(jam.report.id()), u"OPS-29"_s));
        QVERIFY(jam.migration.wait());
        QVERIFY(jam.reader.isBlocked() && jam.writer.isBlocked() && jam.other.isBlocked());
        const SnapshotPtr after = jam.snapshot();
        QCOMPARE(after->blocking().heads().front().session, jam.migration.id());
        QVERIFY(after->blocking().heads().front().hasWhatItWaitedFor);
        QVERIFY(jam.migration.run(u"ROLLBACK"_s));
        QVERIFY(jam.reader.wait() && jam.writer.wait() && jam.other.wait());
    }

    /// One action on several: each is compared and recorded by itself.
    void severalVictimsAreCancelledAtOnce()
    {
        Jam jam;
        QVERIFY(jam.begins());
        const SnapshotPtr snapshot = jam.snapshot();
        QList<lockscope::Session> shown;
        for (const auto* each : {&jam.reader, &jam.writer, &jam.other})
            shown << *snapshot->session(each->id());
        jam.other.cancel(); // it runs something else by then
        QVERIFY(!jam.other.wait());
        QVERIFY(jam.other.run(u"SELECT 1"_s));
        const auto done = jam.admin->cancelSessions(shown, u"OPS-29"_s);
        QVERIFY(done);
        QCOMPARE(done->count, 2);
        QVERIFY2(done->message.startsWith(u"2 of 3 statements were cancelled"_s)
                && done->message.contains(u"Left alone: session %1: "_s.arg(jam.other.id().value)),
            qPrintable(done->message));
        QVERIFY(!jam.reader.wait() && !jam.writer.wait());
        QVERIFY(jam.migration.isBlocked() && jam.report.isRunning());
        const auto audit = jam.admin->audit();
        QVERIFY(audit);
        QCOMPARE(audit->size(), 3);
        QSet<QString> targets;
        for (const admin::AuditRecord& each : *audit) {
            QCOMPARE(each.reason, u"OPS-29"_s);
            targets << each.target;
        }
        QCOMPARE(targets.size(), 3);
        QCOMPARE(audit->first().outcome.startsWith(u"done"_s), false);
        VERIFY_FAILS(ErrorKind::Changed, jam.admin->cancelSessions(shown, u"OPS-29"_s));
        jam.migration.cancel();
        jam.report.cancel();
    }
};

LOCKSCOPE_TEST(tst_BlockingAgreement)

} // namespace tst_BlockingAgreement
#include "tst_BlockingAgreement.moc"
