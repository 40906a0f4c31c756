// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/SnapshotSource.h"
#include "tests/support/Session.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"
#include "tests/support/Waiting.h"

#include <QTest>

#include <map>
#include <random>
#include <set>

using namespace lockscope;
using namespace lockscope::test;
using namespace Qt::StringLiterals;

namespace {

using Blockers = std::map<qint64, std::set<qint64>>;

constexpr int actors = 8;
constexpr int stepsPerRound = 24;

/// One thing that a session may do next: locks of every kind that sessions wait for.
QString randomStep(std::mt19937& random)
{
    static const QStringList modes{u"ACCESS SHARE"_s, u"ROW SHARE"_s, u"ROW EXCLUSIVE"_s,
        u"SHARE UPDATE EXCLUSIVE"_s, u"SHARE"_s, u"SHARE ROW EXCLUSIVE"_s, u"EXCLUSIVE"_s,
        u"ACCESS EXCLUSIVE"_s};
    static const QStringList strengths{u"UPDATE"_s, u"NO KEY UPDATE"_s, u"SHARE"_s, u"KEY SHARE"_s};
    const auto pick = [&random](int count) { return std::uniform_int_distribution(0, count - 1)(random); };
    switch (pick(4)) {
    case 0:
        return u"LOCK TABLE t%1 IN %2 MODE"_s.arg(pick(3)).arg(modes[pick(8)]);
    case 1:
        return u"SELECT * FROM t%1 WHERE id = %2 FOR %3"_s.arg(pick(3)).arg(pick(3)).arg(strengths[pick(4)]);
    case 2:
        return u"UPDATE t%1 SET n = n + 1 WHERE id = %2"_s.arg(pick(3)).arg(pick(3));
    default:
        return u"SELECT pg_advisory_xact_lock%1(%2)"_s.arg(pick(2) ? u"_shared"_s : QString()).arg(pick(3));
    }
}

Blockers byTheServer(db::Connection& connection)
{
    Blockers blockers;
    const auto read = connection.execute(
        sqlStatement(u"SELECT l.pid, b.pid FROM (SELECT DISTINCT pid FROM pg_locks WHERE NOT granted) l, "
                     "LATERAL unnest(pg_blocking_pids(l.pid)) AS b (pid)"_s),
        {}, [&](const db::Row& row) { blockers[row.int64(0)].insert(row.int64(1)); });
    if (!read)
        qWarning("%s", qPrintable(read.error().toString()));
    return blockers;
}

Blockers byUs(const Snapshot& snapshot)
{
    Blockers blockers;
    for (const WaitEdge& edge : snapshot.waits)
        blockers[edge.waiter.value].insert(edge.blocker.value);
    return blockers;
}

QString toText(const Blockers& blockers)
{
    QStringList lines;
    for (const auto& [waiter, before] : blockers) {
        QStringList ids;
        for (const qint64 id : before)
            ids << QString::number(id);
        lines << u"%1 <- %2"_s.arg(waiter).arg(ids.join(u", "));
    }
    return lines.join(u"; ");
}

} // namespace

/// The waits that we work out from pg_locks alone are those that the server itself names.
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
        std::mt19937 random(seed);
        auto& server = TestServer::shared();
        const auto url = server.freshDatabase(TestServer::Schema::None);
        for (int table = 0; table < 3; ++table) {
            server.run(url, u"CREATE TABLE t%1 (id int PRIMARY KEY, n int NOT NULL)"_s.arg(table));
            server.run(url, u"INSERT INTO t%1 VALUES (0, 0), (1, 0), (2, 0)"_s.arg(table));
        }
        std::vector<std::unique_ptr<test::Session>> sessions;
        for (int i = 0; i < actors; ++i) {
            sessions.push_back(std::make_unique<test::Session>(server, url));
            // Deadlocks stay as they are: the detector would end them, or re-order the queue.
            QVERIFY(sessions.back()->run(u"SET deadlock_timeout = '1h'"_s));
            QVERIFY(sessions.back()->run(u"BEGIN"_s));
        }
        db::ServerProfile profile;
        profile.url = url;
        const auto source = monitor::makeSnapshotSource(profile, server.passwords());
        const auto observer = server.connect(url);

        int compared = 0;
        for (int step = 0; step < stepsPerRound; ++step) {
            test::Session& actor = *sessions[random() % actors];
            const QString sql = randomStep(random);
            if (actor.isRunning())
                continue;
            actor.start(sql);
            // Settled: it waits, or it is done. So sessions arrive in their queues one after the other.
            actor.waitUntilBlocked();
            const Blockers theirs = byTheServer(*observer);
            const auto taken = source->take();
            QVERIFY2(taken, qPrintable(taken ? QString() : taken.error().toString()));
            QVERIFY2(byUs(**taken) == theirs,
                qPrintable(u"step %1, %2: we say %3; the server says %4"_s.arg(step).arg(
                    sql, toText(byUs(**taken)), toText(theirs))));
            compared += static_cast<int>(theirs.size());
        }
        QVERIFY(compared > 0);
    }
};

LOCKSCOPE_TEST(tst_BlockingAgreement)
#include "tst_BlockingAgreement.moc"
