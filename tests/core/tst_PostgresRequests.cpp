// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/postgres/PostgresRows.h"
#include "tests/fuzz/FuzzRow.h"
#include "tests/support/TestProgram.h"

namespace tst_PostgresRequests {

using namespace lockscope;
using namespace lockscope::monitor;

constexpr ServerTime taken{1'795'387'821'000'000};

/// A row of pg_locks: a session has locked a table in this transaction, or waits for it since then.
static void addLock(
    PostgresLockRows& rows, const QByteArray& transaction, std::optional<ServerTime> waitsSince)
{
    const QByteArrayList fields{"relation", "5", "16384", "\\N", "\\N", "\\N", "\\N", "\\N", "\\N", "\\N",
        transaction, "52", "AccessExclusiveLock", waitsSince ? "0" : "1",
        waitsSince ? QByteArray::number(waitsSince->us) : QByteArray("\\N")};
    rows.add(test::FuzzRow(fields));
}

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
        addLock(rows, transaction, since);
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

    /// The session commits, and locks again, before the poll has ended.
    void theNextTransactionsLockIsNoOlderThanThePollBefore()
    {
        FirstSeen firstSeen;
        const auto hold = [&](ServerTime now, ServerTime idleSince, const QByteArray& transaction) {
            PostgresLockRows rows;
            addLock(rows, transaction, {});
            Snapshot snapshot;
            snapshot.takenAt = now;
            Session session;
            session.id = SessionId{52};
            session.state = SessionState::IdleInTransaction;
            session.stateSince = idleSince;
            snapshot.sessions.push_back(session);
            snapshot.index();
            addRequests(snapshot, rows, firstSeen, m_names, {});
            return *snapshot.requests.front().since;
        };
        const ServerTime next = taken + std::chrono::seconds(1);
        QCOMPARE(hold(taken, taken - milliseconds(50), "4/9"), taken - milliseconds(50));
        QCOMPARE(hold(next, taken - milliseconds(5), "4/10"), taken + microseconds(1));
        QCOMPARE(
            hold(next + std::chrono::seconds(1), taken - milliseconds(5), "4/10"), taken - milliseconds(5));
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
