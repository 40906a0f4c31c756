// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/postgres/PostgresRequests.h"
#include "tests/fuzz/FuzzRow.h"
#include "tests/support/TestProgram.h"

#include <QTest>

namespace tst_PostgresRequests {

using namespace lockscope;
using namespace lockscope::monitor;
using namespace Qt::StringLiterals;

namespace {

constexpr ServerTime taken{1'795'387'821'000'000};

/// A row of pg_locks: a session waits for a table since then, in this transaction.
void addWait(PostgresLockRows& rows, ServerTime since, const QByteArray& transaction)
{
    const QByteArrayList fields{"relation", "5", "16384", "\\N", "\\N", "\\N", "\\N", "\\N", "\\N", "\\N",
        transaction, "52", "AccessExclusiveLock", "0", QByteArray::number(since.us)};
    rows.add(test::FuzzRow(fields));
}

} // namespace

class tst_PostgresRequests : public QObject {
    Q_OBJECT

    FirstSeen m_firstSeen;
    PostgresNames m_names{5};

    /// The wait as a snapshot has it. `began`: the statement; `event`: what its session waited for
    /// afterwards.
    LockRequest wait(ServerTime now, ServerTime since, ServerTime began, const QByteArray& transaction,
        const QString& event)
    {
        PostgresLockRows rows;
        addWait(rows, since, transaction);
        Snapshot snapshot;
        snapshot.takenAt = now;
        Session session;
        session.id = SessionId{52};
        session.statementStarted = began;
        session.waitEvent = event;
        snapshot.sessions.push_back(session);
        snapshot.index();
        addRequests(snapshot, rows, m_firstSeen, m_names, {});
        return snapshot.requests.front();
    }

private Q_SLOTS:
    /// PostgreSQL's own mistake: "Prevent stale pg_locks.waitstart values" in its history.
    void theBeginningOfAFormerWaitIsNoBeginning()
    {
        const ServerTime former = taken - std::chrono::seconds(30);
        const ServerTime began = taken - milliseconds(2);
        const LockRequest stale = wait(taken, former, began, "4/7", u"Lock: relation"_s);
        QVERIFY(!stale.sinceExact);
        QCOMPARE(*stale.since, taken);
        // The next poll sees when it really began.
        const LockRequest right =
            wait(taken + std::chrono::seconds(1), began, began, "4/7", u"Lock: relation"_s);
        QVERIFY(right.sinceExact);
        QCOMPARE(*right.since, began);
    }

    /// Sessions are read after the locks: a wait that has ended meanwhile began when it says.
    void aStatementThatCameLaterSaysNothing()
    {
        const ServerTime since = taken - std::chrono::seconds(3);
        const LockRequest ended = wait(taken, since, taken, "4/8", u"Client: ClientRead"_s);
        QVERIFY(ended.sinceExact);
        QCOMPARE(*ended.since, since);
    }
};

LOCKSCOPE_TEST(tst_PostgresRequests)

} // namespace tst_PostgresRequests
#include "tst_PostgresRequests.moc"
