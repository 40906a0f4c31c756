// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/TestProgram.h"
#include "tests/support/tds/DoubleLocks.h"
#include "tests/support/tds/DoubleSessions.h"

namespace tst_TdsState {

using namespace Qt::StringLiterals;
using namespace lockscope::test::tds;
using namespace std::chrono_literals;

/// A clock that goes on when a test says so.
class HandClock {
public:
    DoubleLocks::After after()
    {
        return [this](std::chrono::milliseconds delay, std::function<void()> run) {
            m_later.emplace(m_nowUs + std::chrono::microseconds(delay).count(), std::move(run));
        };
    }
    void pass(std::chrono::microseconds time)
    {
        m_nowUs += time.count();
        while (!m_later.empty() && m_later.begin()->first <= m_nowUs)
            m_later.extract(m_later.begin()).mapped()();
    }

private:
    qint64 m_nowUs = 1'000'000'000;
    std::multimap<qint64, std::function<void()>> m_later;
};

/// Sessions that request the lock "a", and the codes they got, in order: "51:0".
class Room {
public:
    using Mode = DoubleLocks::Mode;
    using Owner = DoubleLocks::Owner;
    DoubleLocks::Ticket ask(
        int session, Mode mode, std::chrono::milliseconds timeout = -1ms, Owner owner = Owner::Session)
    {
        return askFor(u"a"_s, session, mode, timeout, owner);
    }
    DoubleLocks::Ticket askFor(const QString& name, int session, Mode mode,
        std::chrono::milliseconds timeout = -1ms, Owner owner = Owner::Session, int priority = 0)
    {
        return locks.acquire({session, key(name), mode, owner, timeout, priority},
            [this, session](DoubleLocks::Code code) { answers << u"%1:%2"_s.arg(session).arg(code); });
    }
    int release(int session, Owner owner = Owner::Session)
    {
        return locks.release(session, owner, key(u"a"_s));
    }
    static DoubleLocks::Key key(const QString& name) { return {u"orders"_s, u"public"_s, name}; }

    HandClock time;
    DoubleLocks locks{time.after()};
    QStringList answers;
};
using Mode = Room::Mode;
using Owner = Room::Owner;

static int numberOf(const DoubleSessions::Word& word)
{
    return word ? word->number : 0;
}

/// The state of the double of SQL Server, without the wire.
class tst_TdsState : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // --- Application locks --------------------------------------------------------------------------

    void modesGoTogetherAsDocumented_data()
    {
        lockscope::test::addColumns<QString, QString>("held", "goesWith");
        lockscope::test::row("IntentShared", "IntentShared", "IntentShared Shared Update IntentExclusive");
        lockscope::test::row("Shared", "Shared", "IntentShared Shared Update");
        lockscope::test::row("Update", "Update", "IntentShared Shared");
        lockscope::test::row("IntentExclusive", "IntentExclusive", "IntentShared IntentExclusive");
        lockscope::test::row("Exclusive", "Exclusive", "");
    }
    void modesGoTogetherAsDocumented()
    {
        FETCH(QString, held, QString, goesWith);
        for (const QString& requested :
            {u"IntentShared"_s, u"Shared"_s, u"Update"_s, u"IntentExclusive"_s, u"Exclusive"_s}) {
            Room room;
            room.ask(51, *DoubleLocks::modeOf(held));
            room.ask(52, *DoubleLocks::modeOf(requested.toUpper()), 0ms);
            QVERIFY2(room.answers.last() == (goesWith.split(u' ').contains(requested) ? u"52:0" : u"52:-1"),
                qPrintable(requested));
        }
        QVERIFY(!DoubleLocks::modeOf(u"Sch-M"_s));
    }

    void waitersGoInTheOrderOfTheirComing()
    {
        Room room;
        room.ask(51, Mode::Exclusive);
        room.ask(52, Mode::Shared);
        room.ask(53, Mode::Exclusive);
        room.ask(54, Mode::Shared); // not before 53
        COMPARE_TEXTS(room.answers, "51:0");
        QCOMPARE(room.locks.blockersOf(54), (std::set<int>{51, 53}));
        room.release(51);
        COMPARE_TEXTS(room.answers, "51:0", "52:1");
        room.release(52);
        room.release(53);
        COMPARE_TEXTS(room.answers, "51:0", "52:1", "53:1", "54:1");
    }

    void aWaitEndsByItself()
    {
        Room room;
        room.ask(51, Mode::Shared);
        room.ask(52, Mode::Exclusive, 100ms);
        room.ask(53, Mode::Shared); // waits for 52 only
        room.time.pass(99ms);
        QCOMPARE(room.answers.size(), 1);
        room.time.pass(1ms);
        COMPARE_TEXTS(room.answers, "51:0", "52:-1", "53:1");
    }

    void aWaiterThatGivesUpIsNotAnswered()
    {
        Room room;
        room.ask(51, Mode::Exclusive);
        const auto ticket = room.ask(52, Mode::Exclusive, 100ms);
        room.locks.giveUp(ticket);
        room.release(51);
        room.time.pass(1s);
        COMPARE_TEXTS(room.answers, "51:0");
        QVERIFY(room.locks.rows().empty());
    }

    void eachAcquireNeedsItsRelease()
    {
        Room room;
        room.ask(51, Mode::Shared);
        room.ask(51, Mode::Exclusive); // the upgrade stays
        QCOMPARE(room.locks.rows().front().mode, u"X"_s);
        QCOMPARE(room.locks.rows().front().references, 2);
        room.ask(52, Mode::Shared);
        QCOMPARE(room.release(51), 0);
        QCOMPARE(room.answers.size(), 2);
        QCOMPARE(room.release(51), 0);
        QCOMPARE(room.answers.last(), u"52:1"_s);
        QCOMPARE(room.release(51), -999);
    }

    void holdersConvertBeforeNewcomers()
    {
        Room room;
        room.ask(51, Mode::Shared);
        room.ask(52, Mode::Shared);
        room.ask(53, Mode::Exclusive);
        room.ask(51, Mode::Exclusive);
        const auto rows = room.locks.rows();
        QCOMPARE(rows[2].status, u"CONVERT"_s);
        QCOMPARE(rows[2].session, 51);
        QCOMPARE(rows[3].status, u"WAIT"_s);
        room.release(52);
        QCOMPARE(room.answers.last(), u"51:1"_s);
    }

    void ownersAreApart()
    {
        Room room;
        room.ask(51, Mode::Exclusive, -1ms, Owner::Transaction);
        room.ask(51, Mode::Exclusive, -1ms, Owner::Session);
        room.ask(52, Mode::Shared);
        room.locks.transactionEnded(51);
        COMPARE_TEXTS(room.answers, "51:0", "51:0");
        QCOMPARE(room.release(51, Owner::Transaction), -999);
        room.locks.disconnected(51);
        QCOMPARE(room.answers.last(), u"52:1"_s);
    }

    void aCircleHasAVictim()
    {
        Room room;
        room.askFor(u"a"_s, 51, Mode::Exclusive);
        room.askFor(u"b"_s, 52, Mode::Exclusive);
        room.askFor(u"b"_s, 51, Mode::Exclusive);
        room.askFor(u"a"_s, 52, Mode::Exclusive);
        QCOMPARE(room.answers.last(), u"52:-3"_s); // and keeps what it holds
        QCOMPARE(room.locks.blockersOf(51), std::set<int>{52});
        room.locks.disconnected(52);
        QCOMPARE(room.answers.last(), u"51:1"_s);
    }

    void thePolitestIsTheVictim()
    {
        Room room;
        room.askFor(u"a"_s, 51, Mode::Exclusive);
        room.askFor(u"b"_s, 52, Mode::Exclusive);
        room.askFor(u"b"_s, 51, Mode::Exclusive, -1ms, Owner::Session, -5);
        room.askFor(u"a"_s, 52, Mode::Exclusive);
        QCOMPARE(room.answers.last(), u"51:-3"_s);
    }

    void twoConversionsAreACircle()
    {
        Room room;
        room.ask(51, Mode::Shared);
        room.ask(52, Mode::Shared);
        room.ask(51, Mode::Exclusive);
        room.ask(52, Mode::Exclusive);
        QCOMPARE(room.answers.last(), u"52:-3"_s);
    }

    // --- Sessions -----------------------------------------------------------------------------------

    void killRefusesAsTheServerDoes()
    {
        DoubleSessions sessions;
        QList<int> ended;
        sessions.onKill([&](int id) { ended << id; });
        sessions.add({.id = 9, .isUser = false});
        sessions.add({.id = 51});
        sessions.add({.id = 52});
        QCOMPARE(numberOf(sessions.kill(51, false, 51)), 6104);
        QCOMPARE(numberOf(sessions.kill(51, false, 9)), 6107);
        QCOMPARE(numberOf(sessions.kill(51, false, 53)), 6106);
        QCOMPARE(numberOf(sessions.kill(51, false, 0)), 6101);
        QCOMPARE(numberOf(sessions.kill(51, true, 52)), 6115);
        sessions.setMayKill([](int session) { return session == 51; });
        QCOMPARE(numberOf(sessions.kill(52, false, 51)), 6102);
        QVERIFY(ended.isEmpty());
        QVERIFY(!sessions.kill(51, false, 52));
        QCOMPARE(ended, QList<int>{52});
    }

    void killReportsTheRollback()
    {
        DoubleSessions sessions;
        sessions.add({.id = 52});
        QCOMPARE(numberOf(sessions.killStatus(51, 52)), 6120);
        sessions.find(52)->rollback = {80, 10};
        const auto word = sessions.killStatus(51, 52);
        QCOMPARE(word->number, 6109);
        QVERIFY(word->severity <= 10);
        QVERIFY(word->text.contains(u"completion: 80%. Estimated time remaining: 10 seconds."_s));
    }
};

LOCKSCOPE_TEST(tst_TdsState)

} // namespace tst_TdsState
#include "tst_TdsState.moc"
