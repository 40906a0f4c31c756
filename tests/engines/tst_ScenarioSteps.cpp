// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Step mode on real servers: the test is the scheduler. A blocked step is shown as blocked, by whom and on
// what, while the others go on; the steps can be written down, read back and done again.

#include "core/scenario/run/StepRun.h"
#include "tests/support/ScenarioRig.h"

namespace tst_ScenarioSteps {

using namespace lockscope;
using namespace lockscope::scenario;
using namespace lockscope::test;

static QString standing(const StepRun& run)
{
    QString all;
    for (const SteppedView& view : run.sessions()) {
        static constexpr char16_t marks[] = u"-~*.";
        all += view.letter + QChar(marks[int(view.standing)]);
    }
    return all;
}

class tst_ScenarioSteps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void lostUpdateByHand()
    {
        const auto run = start(u"lost-update"_s, u"unsafe"_s, {{u"accounts"_s, u"1"_s}});
        QCOMPARE(standing(*run), u"A-B-"_s);
        doSteps(*run, u"A1 A2 B1 B2"_s); // both have read
        doSteps(*run, u"A3 A4 A5"_s);
        QCOMPARE(run->judge()->total(), 0);
        doSteps(*run, u"B3 B4 B5"_s);
        QVERIFY(run->isOver());
        QVERIFY(!run->isStuck());
        const auto judged = run->judge();
        QVERIFY(judged);
        QCOMPARE(judged->violations.at(RunRule::Invariant), 1);
        QCOMPARE(toText(run->record()), u"lost-update/unsafe accounts=1: A1 A2 B1 B2 A3 A4 A5 B3 B4 B5"_s);
    }

    void statementsShowTheirValues()
    {
        const auto run = start(u"lost-update"_s, u"unsafe"_s, {{u"accounts"_s, u"1"_s}});
        QCOMPARE(run->sessions()[0].text, u"BEGIN"_s);
        doSteps(*run, u"A1"_s);
        QCOMPARE(run->sessions()[0].text, u"SELECT balance FROM account WHERE id = 1"_s);
        QCOMPARE(run->sessions()[0].label, u"read the balance"_s);
        doSteps(*run, u"A2"_s);
        QCOMPARE(run->sessions()[0].text, u"UPDATE account SET balance = 0::bigint + 1 WHERE id = 1"_s);
        QCOMPARE(run->program(1)[std::size_t(run->sessions()[0].line)].text,
            u"UPDATE account SET balance = :balance::bigint + 1 WHERE id = :account"_s);
        // Pauses too short to matter are not in it.
        QCOMPARE(run->program(1).size(), std::size_t(5));
    }

    void stepsTellWhatTheyHaveRead()
    {
        const auto run = start(u"lost-update"_s, u"unsafe"_s, {{u"accounts"_s, u"1"_s}});
        doSteps(*run, u"A1 A2 A3 A4 A5 B1"_s);
        QCOMPARE(run->sessions()[1].done[1].text, QString());
        doSteps(*run, u"B2"_s);
        // The statement that was sent then, and its result, differ from A's.
        QCOMPARE(run->sessions()[1].done[1].text, u"SELECT balance FROM account WHERE id = 1"_s);
        QCOMPARE(run->sessions()[1].done[1].read, u"balance = 1"_s);
        QCOMPARE(run->sessions()[1].done[2].text, QString());
        QVERIFY(run->restart());
        QCOMPARE(run->sessions()[1].done[1].text, QString());
    }

    void tablesAreShownAsTheyAre_data()
    {
        addRows<Engine>("engine", {{"PostgreSQL", Engine::Postgres}, {"SQLite", Engine::Sqlite}});
    }
    void tablesAreShownAsTheyAre()
    {
        QFETCH(const Engine, engine);
        const auto run = start(u"device-sync"_s, u"unsafe"_s, {{u"customers"_s, u"1"_s}}, engine);
        const auto shown = [&run] {
            const auto tables = run->tables();
            if (!tables)
                return tables.error().toString();
            QStringList all;
            for (const TableState& table : *tables) {
                QStringList lines{table.fault + table.columns.join(u',')};
                for (const QStringList& row : table.rows)
                    lines << row.join(u',');
                all << table.name + u": "_s + lines.join(u" | "_s);
            }
            return all.join(u'\n');
        };
        QCOMPARE(shown(), u"sync: customer,version"_s);
        while (run->sessions()[0].standing == Standing::Ready)
            QVERIFY(run->step(1));
        QCOMPARE(shown(), u"sync: customer,version | 1,1"_s);
    }

    void aLockedTableSaysSo()
    {
        StepOrder order;
        order.run.scenario = ScenarioRig::doing(R"json({"begin": true},
            {"sql": "CREATE TABLE IF NOT EXISTS thing AS SELECT generate_series(1, 20) AS id"}, {"commit": true},
            {"begin": true}, {"sql": "LOCK TABLE thing IN ACCESS EXCLUSIVE MODE"}, {"commit": true})json");
        const auto run = StepRun::start(m_rig.server(), order);
        VERIFY_DONE(run);
        const auto thing = [&run] {
            const auto tables = (*run)->tables();
            return tables && !tables->empty() ? tables->back() : TableState();
        };
        doSteps(**run, u"A1 A2 A3"_s);
        QCOMPARE(thing().rows.size(), std::size_t(rowsOfTableState));
        QVERIFY(thing().hasMore);
        doSteps(**run, u"A4 A5"_s);
        QCOMPARE(thing().fault, u"locked: it can't be read now"_s);
        doSteps(**run, u"A6"_s);
        QCOMPARE(thing().fault, QString());
    }

    void rowLockBlocksTheOther()
    {
        const auto run = start(u"lost-update"_s, u"row-lock"_s, {{u"accounts"_s, u"1"_s}});
        doSteps(*run, u"A1 A2 B1 B2"_s);
        QCOMPARE(standing(*run), u"A-B*"_s);
        const SteppedView& waiter = run->sessions()[1];
        QCOMPARE(waiter.blockers, std::vector{1});
        QCOMPARE(waiter.blockedOn, u"account row (0,1)"_s);
        QVERIFY(!run->step(2));
        // The others go on, and with the holder's commit so does the waiter.
        doSteps(*run, u"A3 A4"_s);
        QCOMPARE(standing(*run), u"A-B*"_s);
        doSteps(*run, u"A5"_s);
        QCOMPARE(standing(*run), u"A.B-"_s);
        QCOMPARE(run->sessions()[1].text, u"UPDATE account SET balance = 1::bigint + 1 WHERE id = 1"_s);
        doSteps(*run, u"B3 B4 B5"_s);
        QCOMPARE(recorded(*run), u"A1 A2 B1 B2* A3 A4 A5 B3 B4 B5"_s);
        QCOMPARE(run->judge()->total(), 0);
    }

    void applicationLockBlocksTheOther()
    {
        const auto run = start(u"lost-update"_s, u"app-lock"_s, {{u"accounts"_s, u"1"_s}});
        doSteps(*run, u"B1 B2 A1 A2"_s);
        QCOMPARE(standing(*run), u"A*B-"_s);
        QCOMPARE(run->sessions()[0].blockers, std::vector{2});
        QCOMPARE(run->sessions()[0].blockedOn, u"application lock 'account/1'"_s);
    }

    void lockTableBlocksTheOther_data()
    {
        addRows<Engine>("engine", {{"PostgreSQL", Engine::Postgres}, {"SQLite", Engine::Sqlite}});
    }
    void lockTableBlocksTheOther()
    {
        QFETCH(Engine, engine);
        const auto run = start(u"device-sync"_s, u"per-customer"_s, {{u"customers"_s, u"1"_s}}, engine);
        doSteps(*run, u"A1 B1"_s);
        QCOMPARE(standing(*run), u"A-B*"_s);
        QCOMPARE(run->sessions()[1].blockers, std::vector{1});
        QCOMPARE(run->sessions()[1].blockedOn, u"lock-table entry 'orders/1'"_s);
        while (run->sessions()[0].standing == Standing::Ready)
            QVERIFY(run->step(1));
        QCOMPARE(standing(*run), u"A.B-"_s);
        while (run->sessions()[1].standing == Standing::Ready)
            QVERIFY(run->step(2));
        QCOMPARE(standing(*run), u"A.B."_s);
        QCOMPARE(run->judge()->total(), 0);
    }

    void deadlockHasItsVictim()
    {
        QByteArray text = R"json({"id": "ring", "title": "t", "story": "s", "engines": ["postgres"],
            "setup": ["CREATE TABLE t (id int PRIMARY KEY, n int)", "INSERT INTO t VALUES (1, 0), (2, 0)"],
            "invariant": {"sql": "SELECT 0", "meaning": "m", "violation": "v"}, "rules": {"no_deadlock": true},
            "variants": [{"id": "u", "title": "t", "strategy": "s", "unsafe": true, "meaning": "m", "roles": [
            {"name": "up", "count": 1, "steps": [{"begin": true}, {"sql": "UPDATE t SET n = 1 WHERE id = 1"},
                {"sql": "UPDATE t SET n = 1 WHERE id = 2"}, {"commit": true}]},
            {"name": "down", "steps": [{"begin": true}, {"sql": "UPDATE t SET n = 1 WHERE id = 2"},
                {"sql": "UPDATE t SET n = 1 WHERE id = 1"}, {"commit": true}]}]}]})json";
        StepOrder order;
        order.run.scenario = readScenario(text, u"f"_s).value();
        for (const bool isFirstVictim : {false, true}) {
            const auto run = StepRun::start(m_rig.server(), order).value();
            doSteps(*run, isFirstVictim ? u"A1 A2 B1 B2 B3 A3"_s : u"A1 A2 B1 B2 A3 B3"_s);
            // The session that closes the cycle is the victim; the other one has got its row.
            QCOMPARE(standing(*run), isFirstVictim ? u"A.B-"_s : u"A-B."_s);
            const StepRecord& last = run->record().steps.back();
            QCOMPARE(last.session, isFirstVictim ? 1 : 2);
            QCOMPARE(last.outcome, StepOutcome::Victim);
            QCOMPARE(run->judge()->violations.at(RunRule::NoDeadlock), 1);
        }
    }

    void forgottenReleaseIsStuck()
    {
        const auto run = start(u"forgotten-release"_s, u"unsafe"_s);
        doSteps(*run, u"A1 A2 A3 B1"_s);
        QCOMPARE(standing(*run), u"A.B*"_s);
        QVERIFY(run->isStuck());
        QCOMPARE(run->sessions()[1].blockers, std::vector{1});
        QCOMPARE(run->judge()->violations.at(RunRule::LongestWait), 1);
        QCOMPARE(recorded(*run), u"A1 A2 A3 B1*"_s);
        QVERIFY(!run->record().steps.back().isEnded);
    }

    void restartIsAFreshStart()
    {
        const auto run = start(u"lost-update"_s, u"row-lock"_s, {{u"accounts"_s, u"1"_s}});
        doSteps(*run, u"A1 A2 B1 B2"_s);
        QVERIFY(run->restart());
        QCOMPARE(standing(*run), u"A-B-"_s);
        QVERIFY(run->record().steps.empty());
        doSteps(*run, u"B1 B2 B3 B4 B5 A1 A2"_s);
        QCOMPARE(run->sessions()[0].text, u"UPDATE account SET balance = 1::bigint + 1 WHERE id = 1"_s);
    }

    void startingOverKeepsNothing()
    {
        const auto run = start(u"web-farm"_s, u"unsafe"_s);
        const QString whole = u"A1 A2 A3 B1 B2 B3"_s;
        for (int i = 0; i < 3; ++i) {
            QVERIFY(run->startOver(1));
            QVERIFY(run->record().steps.empty());
            doSteps(*run, u"A1 B1 A2 B2 A3 B3"_s);
            QCOMPARE(run->judge()->violations.at(RunRule::Invariant), 1);
        }
        // This is in the middle, with a session that waits.
        const auto locked = start(u"lost-update"_s, u"row-lock"_s, {{u"accounts"_s, u"1"_s}});
        QVERIFY(locked->startOver(1));
        doSteps(*locked, u"A1 A2 A3 B1 B2"_s);
        QVERIFY(locked->startOver(1));
        QCOMPARE(standing(*locked), u"A-B-"_s);
        doSteps(*locked, u"B1 B2"_s);
        QCOMPARE(locked->sessions()[1].text, u"UPDATE account SET balance = 0::bigint + 1 WHERE id = 1"_s);
    }

    void nothingIsLeftBehind()
    {
        {
            const auto run = start(u"lost-update"_s, u"row-lock"_s, {{u"accounts"_s, u"1"_s}});
            doSteps(*run, u"A1 A2 B1 B2"_s); // one waits
        }
        QCOMPARE(m_rig.remains(), QString());
    }

    void whatCantBeRunIsRefused()
    {
        const auto run = start(u"lost-update"_s, u"unsafe"_s);
        for (const int session : {0, 3}) {
            VERIFY_FAILS(ErrorKind::BadInput, run->step(session));
        }
    }

private:
    std::unique_ptr<StepRun> start(const QString& scenario, const QString& variant,
        const QHash<QString, QString>& parameters = {}, Engine engine = Engine::Postgres)
    {
        StepOrder order;
        order.run.scenario = ScenarioRig::shipped(scenario);
        order.run.variant = variant;
        order.run.parameters = parameters;
        return orDie(StepRun::start(m_rig.server(engine), order));
    }
    /// "A1 B1 A2": as toText() has it; the marks are not looked at.
    static void doSteps(StepRun& run, const QString& tokens)
    {
        for (const QString& token : tokens.split(u' ')) {
            const auto done = run.step(token[0].unicode() - u'A' + 1);
            QVERIFY2(done, done ? "" : qPrintable(token + u": "_s + done.error().toString()));
        }
    }
    static QString recorded(const StepRun& run) { return toText(run.record()).section(u": "_s, 1); }
    ScenarioRig m_rig;
};

LOCKSCOPE_TEST(tst_ScenarioSteps)

} // namespace tst_ScenarioSteps
#include "tst_ScenarioSteps.moc"
