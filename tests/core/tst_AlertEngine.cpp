// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/alert/AlertEngine.h"
#include "core/alert/rules/RuleFile.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TestProgram.h"

namespace tst_AlertEngine {

using namespace lockscope;
using namespace lockscope::alert;
using test::SnapshotBuilder;

const QString server = u"db1:5432"_s;

constexpr auto at = &SnapshotBuilder::at;
const QRegularExpression firedOnce(u"^\\d+ fired warning$"_s);

static Rule ruleOf(Condition condition, std::vector<RuleLevel> levels, milliseconds keepFiring = 60s)
{
    Rule rule;
    rule.name = QString::fromUtf16(conditionInfo(condition).key);
    rule.condition = condition;
    rule.levels = std::move(levels);
    rule.keepFiring = keepFiring;
    return rule;
}

static Rule blockedRule()
{
    return ruleOf(Condition::BlockedSessions, {{Severity::Warning, 3, 30s}, {Severity::Critical, 25, 0s}});
}

/// Sessions wait for one session of a program, which forgot its transaction.
static void block(
    SnapshotBuilder& s, int waiting, int age = 60, int head = 51, const QByteArray& program = "billing")
{
    s.session(head, program.constData()).idleInTransaction(age);
    s.holds(head, "public.orders", "AccessExclusiveLock", age);
    for (int i = 0; i < waiting; ++i) {
        s.session(100 + i, "report");
        s.waits(100 + i, "public.orders", "RowExclusiveLock", 10);
    }
}

static Observation observed(const SnapshotPtr& snapshot, milliseconds interval = 2s)
{
    Observation seen{server, snapshot->takenAt, interval};
    seen.snapshot = snapshot;
    return seen;
}

/// A server that is polled every two seconds, and the incidents that are reported: "30 fired warning", "92
/// resolved".
class Story {
public:
    explicit Story(std::vector<Rule> rules)
        : m_engine(RuleSet{std::move(rules), {}, {}})
    {
    }

    /// So many sessions wait for one session of a program; polls until that second, which is left out.
    Story& blockedUntil(int second, int waiting, int head = 51, const char* program = "billing")
    {
        for (; m_second < second; m_second += 2) {
            SnapshotBuilder s(m_second);
            block(s, waiting, m_second + 1'000, head, program);
            show(s.take());
        }
        return *this;
    }
    Story& quietUntil(int second) { return blockedUntil(second, 0); }
    Story& failingUntil(int second)
    {
        for (; m_second < second; m_second += 2) {
            Observation seen{server, at(m_second)};
            seen.error = Error{.kind = ErrorKind::Connection, .what = u"No connection."_s};
            take(seen);
        }
        return *this;
    }
    /// Nobody polls.
    Story& hiddenUntil(int second)
    {
        take(Observation{server, at(m_second)});
        m_second = second;
        return *this;
    }
    Story& show(const SnapshotPtr& snapshot) { return take(observed(snapshot)); }
    Story& take(const Observation& seen)
    {
        for (const IncidentChange& change : m_engine.advance(seen)) {
            last = change.incident;
            if (change.kind == IncidentChange::Kind::Changed)
                continue;
            const auto second =
                std::chrono::floor<std::chrono::seconds>(seen.at - SnapshotBuilder::start()).count();
            const QString severity = severityName(change.incident.severity);
            changesSeen << (change.kind == IncidentChange::Kind::Fired
                    ? u"%1 fired %2"_s.arg(second).arg(severity)
                    : change.kind == IncidentChange::Kind::Escalated ? u"%1 escalated"_s.arg(second)
                                                                     : u"%1 resolved"_s.arg(second));
        }
        return *this;
    }
    AlertEngine& engine() { return m_engine; }
    int second() const { return m_second; }

    QStringList changesSeen;
    Incident last;

private:
    AlertEngine m_engine;
    int m_second = 0;
};

class tst_AlertEngine : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itFiresOnceAfterItsHoldAndResolvesOnceItIsClear()
    {
        Story story({blockedRule()});
        story.blockedUntil(20, 3);
        QVERIFY(story.changesSeen.isEmpty());
        QCOMPARE(story.engine().pending().size(), 1);
        QCOMPARE(story.engine().pending().first().left, milliseconds(12s));
        story.blockedUntil(100, 4).quietUntil(300);
        COMPARE_TEXTS(story.changesSeen, "30 fired warning", "160 resolved");
        QCOMPARE(story.last.since, at(0));
        QCOMPARE(story.last.lasted(), milliseconds(160s));
        QCOMPARE(story.last.worstWaiting, 4);
        QCOMPARE(story.last.clearedBy, u"Nobody waits for 51 billing any more; its transaction goes on."_s);
    }

    /// The head's statement is long by the user's threshold, in incidents and their notices, too.
    void aStatementIsLongByTheUsersThreshold()
    {
        SnapshotBuilder s;
        s.session(51, "billing").running("UPDATE orders");
        s.session(63, "till");
        s.holds(51, "public.orders", "AccessExclusiveLock", 90);
        s.waits(63, "public.orders", "AccessShareLock", 80);
        s.made().sessions.front().statementStarted = s.made().takenAt - 90s;
        const SnapshotPtr snapshot = s.take();
        RuleSet rules = defaultRules();
        for (const milliseconds longRunning : {milliseconds(60s), milliseconds(120s)}) {
            rules.longRunning = longRunning;
            AlertEngine engine(rules);
            engine.trustAges();
            engine.advance(observed(snapshot));
            QVERIFY(!engine.firing().isEmpty());
            const QString doing = engine.firing().first().head.doing;
            QVERIFY2(doing.contains(u"a long statement"_s) == (longRunning == 60s), qPrintable(doing));
        }
    }

    void tooFewOrTooShortFiresNothing()
    {
        Story story({blockedRule()});
        story.blockedUntil(200, 2).blockedUntil(228, 3).blockedUntil(400, 2);
        QCOMPARE(story.changesSeen, QStringList());
    }

    void manyAtOnceAreCriticalAtOnce()
    {
        Story story({blockedRule()});
        story.quietUntil(10).blockedUntil(20, 25);
        COMPARE_TEXTS(story.changesSeen, "10 fired critical");
    }

    void itEscalatesOnceAndFallsBackWithoutBeingReportedAgain()
    {
        Story story({blockedRule()});
        story.blockedUntil(60, 3).blockedUntil(80, 30).blockedUntil(300, 3);
        COMPARE_TEXTS(story.changesSeen, "30 fired warning", "60 escalated");
        QCOMPARE(story.last.severity, Severity::Warning);
        QCOMPARE(story.last.worst, Severity::Critical);
    }

    /// A load that comes and goes is one incident. Other tools reported it as fired and resolved every 55 to
    /// 87 seconds.
    void aFlappingLoadIsOneIncident()
    {
        Story story({blockedRule()});
        for (int begin = 0; begin < 1'200; begin += 80)
            story.blockedUntil(begin + 40, 5).quietUntil(begin + 80);
        COMPARE_TEXTS(story.changesSeen, "30 fired warning");
    }

    /// A cause is a program and not the number that its session has.
    void theSameProgramInAnotherSessionIsTheSameIncident()
    {
        Story story({blockedRule()});
        story.blockedUntil(60, 3, 51).quietUntil(70).blockedUntil(200, 3, 77);
        COMPARE_TEXTS(story.changesSeen, "30 fired warning");
        QCOMPARE(story.last.head.session, SessionId{77});
    }

    void anotherProgramIsAnotherIncident()
    {
        Story story({blockedRule()});
        story.blockedUntil(60, 3, 51).blockedUntil(200, 3, 77, "migrate");
        COMPARE_TEXTS(story.changesSeen, "30 fired warning", "90 fired warning", "120 resolved");
    }

    void timeThatNobodySawNeitherFiresNorClears()
    {
        Story story({blockedRule()});
        // Ten seconds were seen before and twenty after; what was between is not known.
        story.blockedUntil(12, 3).hiddenUntil(300).blockedUntil(318, 3);
        QCOMPARE(story.changesSeen, QStringList());
        story.blockedUntil(330, 3);
        COMPARE_TEXTS(story.changesSeen, "320 fired warning");
        story.quietUntil(360).hiddenUntil(2'000).quietUntil(2'020);
        QCOMPARE(story.changesSeen.size(), 1);
        story.quietUntil(2'040);
        QCOMPARE(story.changesSeen.size(), 2);
    }

    void aServerThatDoesNotAnswerResolvesNothing()
    {
        Story story({blockedRule(), ruleOf(Condition::Unreachable, {{Severity::Critical, 15'000, 0s}})});
        story.blockedUntil(60, 3).failingUntil(300);
        COMPARE_TEXTS(story.changesSeen, "30 fired warning", "74 fired critical");
        QCOMPARE(story.engine().firing().size(), 2);
        story.blockedUntil(400, 3);
        QCOMPARE(story.changesSeen.size(), 3);
        QCOMPARE(story.changesSeen.last(), u"360 resolved"_s);
    }

    void aClockThatIsSetCountsForNothing()
    {
        Story story({blockedRule()});
        SnapshotBuilder before(0), later(7'200), back(0);
        for (SnapshotBuilder* const s : {&before, &later, &back})
            block(*s, 3);
        story.show(before.take()).show(later.take()).show(back.take());
        QCOMPARE(story.changesSeen, QStringList());
    }

    /// All effects of one head blocker are one incident, although several rules fire.
    void allRulesOfOneCauseAreOneIncident()
    {
        Story story({blockedRule(), ruleOf(Condition::LongWait, {{Severity::Warning, 5'000, 0s}}),
            ruleOf(Condition::WaitedTime, {{Severity::Critical, 60, 0s}})});
        story.blockedUntil(100, 3);
        COMPARE_TEXTS(story.changesSeen, "0 fired warning", "20 escalated");
        QCOMPARE(story.last.rules().size(), 3);
        VERIFY_STARTS(story.last.title, u"3 sessions wait for 51 billing, idle in transaction"_s);
        QCOMPARE(story.last.chain.size(), 4);
        // Ten seconds each when they were first seen, and 98 since.
        QCOMPARE(story.last.waited, milliseconds(3 * (10s + 98s)));
    }

    void victimsThatBlockOthersBelongToTheirHead()
    {
        Story story({ruleOf(Condition::BlockedSessions, {{Severity::Warning, 1, 0s}})});
        SnapshotBuilder s;
        s.session(51, "billing").idleInTransaction(60);
        s.session(63, "report").transaction(60);
        s.session(70, "web");
        s.holds(51, "public.orders", "AccessExclusiveLock", 60);
        s.holds(63, "public.items", "AccessExclusiveLock", 60);
        s.waits(63, "public.orders", "AccessShareLock", 20);
        s.waits(70, "public.items", "AccessShareLock", 10);
        story.show(s.take());
        COMPARE_TEXTS(story.changesSeen, "0 fired warning");
        QCOMPARE(story.last.waiting, 2);
        QCOMPARE(story.last.cause.program, u"billing"_s);
        QCOMPARE(story.last.cause.resource, u"public.orders"_s);
    }

    /// A session may call itself something else with each statement.
    void aNewNameInTheMiddleOfATransactionChangesNothing()
    {
        Story story({blockedRule()});
        for (int second = 0; second < 40; second += 2) {
            SnapshotBuilder s(second);
            block(s, 3, second + 1'000, 51, "name" + QByteArray::number(second));
            story.show(s.take());
        }
        COMPARE_TEXTS(story.changesSeen, "30 fired warning");
    }

    void theCostIsWhatEachHasWaited()
    {
        Story story({ruleOf(Condition::BlockedSessions, {{Severity::Warning, 1, 0s}})});
        SnapshotBuilder s;
        block(s, 2);
        s.session(102, "report");
        s.waits(102, "public.orders", "RowExclusiveLock", 1);
        story.show(s.take());
        QCOMPARE(story.last.waited, milliseconds(21s));
    }

    void aProgramThatIsStartedAgainNeitherRepeatsNorForgets()
    {
        Story first({blockedRule()});
        first.blockedUntil(60, 3);
        Story again({blockedRule()});
        again.engine().adopt(first.last);
        again.hiddenUntil(100).blockedUntil(160, 3, 88);
        QCOMPARE(again.changesSeen, QStringList());
        again.quietUntil(300);
        COMPARE_TEXTS(again.changesSeen, "220 resolved");
        QCOMPARE(again.last.since, at(0));
    }

    void aRuleAppliesOnlyInItsScope()
    {
        Rule rule = blockedRule();
        rule.scope.programs = {u"bill*"_s};
        rule.scope.locks = {u"*.orders"_s};
        Story story({rule});
        story.blockedUntil(60, 3, 51, "billing").blockedUntil(200, 3, 52, "report");
        COMPARE_TEXTS(story.changesSeen, "30 fired warning", "120 resolved");
    }

    void aRuleThatIsTurnedOffResolves()
    {
        Story story({blockedRule()});
        story.blockedUntil(60, 3);
        RuleSet rules{{blockedRule()}, {}, {}};
        rules.rules.front().isOn = false;
        story.engine().setRules(rules);
        story.blockedUntil(62, 3);
        COMPARE_TEXTS(story.changesSeen, "30 fired warning", "60 resolved");
    }

    void whatClearedItIsReported_data()
    {
        test::addColumns<int, int, QString>("head", "transaction", "text");
        test::row("the session ended", 0, 0, "Session 51 billing ended.");
        test::row("its transaction ended", 51, 0, "The transaction of 51 billing ended.");
        test::row(
            "the waiters gave up", 51, 60, "Nobody waits for 51 billing any more; its transaction goes on.");
    }
    void whatClearedItIsReported()
    {
        FETCH(int, head, int, transaction);
        Story story({ruleOf(Condition::BlockedSessions, {{Severity::Warning, 1, 0s}}, 0s)});
        SnapshotBuilder s;
        block(s, 1);
        story.show(s.take());
        SnapshotBuilder after(2);
        if (head != 0) {
            auto line = after.session(head, "billing");
            if (transaction != 0)
                line.idleInTransaction(transaction + 2);
            else
                line.idle();
        }
        story.show(after.take());
        COMPARE_TEXTS(story.changesSeen, "0 fired warning", "2 resolved");
        QTEST(story.last.clearedBy, "text");
    }

    /// A request for an exclusive lock that waits keeps everybody else waiting behind it.
    void aStrongRequestThatWaitsIsCriticalOnceOthersQueueBehindIt()
    {
        Story story({*defaultRules().rule(u"strong queue"_s)});
        for (const int second : {0, 4, 8, 12}) {
            SnapshotBuilder s(second);
            s.session(51, "report").transaction(600 + second).running("SELECT …");
            s.sessions({{63, "migrate"}, {70, "web"}});
            s.holds(51, "public.orders", "AccessShareLock", 600 + second);
            s.waits(63, "public.orders", "AccessExclusiveLock", second);
            if (second > 0)
                s.waits(70, "public.orders", "AccessShareLock", second - 1);
            story.show(s.take());
        }
        COMPARE_TEXTS(story.changesSeen, "4 fired warning", "12 escalated");
        VERIFY_CONTAINS(story.last.reason, u"63 migrate waits for public.orders"_s);
        QCOMPARE(story.last.cause.program, u"report"_s);
    }

    void locksThatCannotBeSeenAreAnIncidentAndClearNothing()
    {
        Story story({blockedRule(), *defaultRules().rule(u"blind"_s)});
        story.blockedUntil(60, 3);
        for (int second = 60; second < 200; second += 2) {
            SnapshotBuilder s(second);
            s.session(51, "billing");
            s.made().limitations.push_back({Limitation::Kind::MissingPermission, u"Locks are hidden."_s,
                u"GRANT pg_monitor TO ann;"_s, 0, 0, true});
            story.show(s.take());
        }
        COMPARE_TEXTS(story.changesSeen, "30 fired warning", "90 fired warning");
        QVERIFY(std::ranges::any_of(story.engine().firing(),
            [](const Incident& each) { return each.title.contains(u"Locks are hidden."_s); }));
    }

    void deadlocksAreCountedForAnHourAndEachOnce()
    {
        Story story({*defaultRules().rule(u"deadlocks"_s)});
        Observation seen = observed(SnapshotBuilder().take());
        const SeenDeadlock known{.family = u"f1"_s, .title = u"orders, items"_s, .database = u"shop"_s};
        seen.deadlocks.emplace(4, known);
        story.take(seen);
        QCOMPARE(story.changesSeen, QStringList());
        // Nothing new was reported: the old ones do not count again.
        for (int second = 2; second < 600; second += 2) {
            seen.at = at(second);
            seen.deadlocks.emplace();
            story.take(seen);
        }
        QCOMPARE(story.changesSeen, QStringList());
        seen.deadlocks.emplace(1, known);
        seen.at = at(600);
        story.take(seen);
        COMPARE_TEXTS(story.changesSeen, "600 fired warning");
        for (int second = 602; second < 3'800; second += 2) {
            seen.at = at(second);
            seen.deadlocks.emplace();
            story.take(seen);
        }
        QCOMPARE(story.changesSeen.last(), u"3662 resolved"_s);
    }

    void aNewFamilyIsReportedOnce()
    {
        Story story({*defaultRules().rule(u"new deadlock family"_s)});
        Observation seen = observed(SnapshotBuilder().take());
        seen.deadlocks = std::vector{SeenDeadlock{u"f1"_s, u"orders and items"_s, u"shop"_s},
            SeenDeadlock{.family = u"f2"_s,
                .title = u"orders and stock"_s,
                .database = u"shop"_s,
                .whyNew = u"It was never seen here before."_s}};
        story.take(seen);
        COMPARE_TEXTS(story.changesSeen, "0 fired warning");
        QCOMPARE(story.last.cause.resource, u"f2"_s);
        VERIFY_CONTAINS(story.last.title, u"orders and stock"_s);
    }

    void aDeadlockCountThatWasNeverReadIsNotZero()
    {
        Story story({*defaultRules().rule(u"deadlocks"_s)});
        Incident before;
        before.cause = {u"deadlocks"_s, server, {}, {}, {}, {}, {}};
        before.fired = before.since = before.seen = at(-100);
        before.symptoms = {{u"deadlocks"_s, Severity::Warning, true, 6, true, at(-100), u"There were 6."_s}};
        story.engine().adopt(before);
        story.quietUntil(600);
        QCOMPARE(story.changesSeen, QStringList());
    }

    void staleEntriesAreReportedByTable()
    {
        Story story({*defaultRules().rule(u"stale entries"_s)});
        for (int second = 0; second < 80; second += 2) {
            SnapshotBuilder s(second);
            s.entry("nightly", "ann").lease(60, 600 + second);
            story.show(s.take());
        }
        COMPARE_TEXTS(story.changesSeen, "60 fired warning");
    }

    /// Five holds of ten seconds, then one of a minute.
    void aLockThatIsHeldLongerThanUsualIsReported()
    {
        Story story({ruleOf(Condition::OldLock, {{Severity::Warning, 3, 0s}}, 0s)});
        for (int second = 0; second < 200; second += 2) {
            SnapshotBuilder s(second);
            const int begin = second < 120 ? second / 20 * 20 : 120;
            if (second - begin < 12 || begin == 120)
                s.entry("nightly", "ann").lease(1'000, second - begin);
            story.show(s.take());
        }
        VERIFY_TEXT(story.changesSeen.join(u", "_s), firedOnce.match(text_).hasMatch());
        const int second = story.changesSeen.first().section(u' ', 0, 0).toInt();
        QVERIFY2(second > 140 && second < 170, qPrintable(story.changesSeen.first()));
    }

    void aWaiterThatOthersPassIsReported()
    {
        Story story({ruleOf(Condition::StarvedWaiter, {{Severity::Warning, 20'000, 0s}})});
        for (int second = 0; second < 40; second += 2) {
            SnapshotBuilder s(second);
            // Every ten seconds another one gets it, which was never in the queue.
            s.entry("nightly", (QByteArray("holder") + QByteArray::number(second / 10)).constData())
                .lease(100, second % 10);
            s.queue(u"nightly"_s, "bob", second + 4);
            story.show(s.take());
        }
        VERIFY_TEXT(story.changesSeen.join(u", "_s), firedOnce.match(text_).hasMatch());
        VERIFY_CONTAINS(story.last.title, u"bob"_s);
    }

    /// The program that continues with it has not seen the earlier holds and grants.
    void anIncidentOfEntriesGoesOnAfterARestart_data()
    {
        QTest::addColumn<Rule>("rule");
        QTest::addColumn<int>("held"); // of twenty seconds
        test::row("old lock", ruleOf(Condition::OldLock, {{Severity::Warning, 3, 0s}}, 4s), 12);
        test::row(
            "starved waiter", ruleOf(Condition::StarvedWaiter, {{Severity::Warning, 20'000, 0s}}, 4s), 20);
    }
    void anIncidentOfEntriesGoesOnAfterARestart()
    {
        FETCH(Rule, rule, int, held);
        const auto showUntil = [held](Story& story, int from, int to, bool isThere) {
            for (int second = from; second < to; second += 2) {
                SnapshotBuilder s(second);
                const int begin = second < 120 ? second / 20 * 20 : 120;
                const QByteArray holder = "holder" + QByteArray::number(begin);
                if (isThere && (second - begin < held || begin == 120))
                    s.entry("nightly", holder.constData()).lease(1'000, second - begin);
                if (isThere)
                    s.queue(u"nightly"_s, "bob", second + 4);
                story.show(s.take());
            }
        };
        Story story({rule});
        showUntil(story, 0, 160, true);
        QCOMPARE(story.changesSeen.size(), 1);
        Story again({rule});
        again.engine().adopt(incidentFromJson(toJson(story.engine().firing().first())).value());
        showUntil(again, 170, 300, true);
        QCOMPARE(again.changesSeen, QStringList());
        QCOMPARE(again.engine().firing().first().seen, at(298));
        showUntil(again, 300, 320, false);
        COMPARE_TEXTS(again.changesSeen, "304 resolved");
    }

    void anAgeGoesOnAfterARestart()
    {
        Story story({*defaultRules().rule(u"server unreachable"_s)});
        story.quietUntil(10).failingUntil(90);
        QCOMPARE(story.changesSeen.last(), u"68 escalated"_s);
        Story again({*defaultRules().rule(u"server unreachable"_s)});
        again.engine().adopt(incidentFromJson(toJson(story.engine().firing().first())).value());
        Observation seen{server, at(100)};
        seen.error = Error{.kind = ErrorKind::Connection, .what = u"No connection."_s};
        again.take(seen);
        VERIFY_CONTAINS(again.last.title, u"1 min 32 s"_s);
    }

    void connectionsThatTheQueueUsesUpAreForeseen()
    {
        Story story({*defaultRules().rule(u"connection headroom"_s)});
        for (int second = 0; second <= 120; second += 10) {
            SnapshotBuilder s(second);
            block(s, 2 + second / 10);
            Observation seen = observed(s.take(), 10s);
            // Twelve more a minute, and forty are left after two minutes.
            seen.measures = {{monitor::measures::connections, {}, 36 + second / 5},
                {monitor::measures::maxConnections, {}, 100}};
            story.take(seen);
        }
        VERIFY_TEXT(story.changesSeen.join(u", "_s), firedOnce.match(text_).hasMatch());
        VERIFY_CONTAINS(story.last.title, u"in about"_s);
    }

    void aPromotedReplicaIsReported()
    {
        Story story({*defaultRules().rule(u"role changed"_s)});
        for (int second = 0; second < 60; second += 10) {
            Observation seen = observed(SnapshotBuilder(second).take(), 10s);
            seen.measures = {{monitor::measures::replica, {}, second < 30 ? 1 : 0}};
            story.take(seen);
        }
        COMPARE_TEXTS(story.changesSeen, "30 fired warning");
    }

    /// A user can give each of its sessions another name.
    void anyNumberOfNamesIsNotAnyNumberOfIncidents()
    {
        Story story({ruleOf(Condition::BlockedSessions, {{Severity::Warning, 1, 0s}})});
        SnapshotBuilder s;
        for (int i = 0; i < 1'000; ++i) {
            const QByteArray table = "public.t" + QByteArray::number(i);
            s.session(10'000 + i, ("flood" + QByteArray::number(i)).constData()).idleInTransaction(60);
            s.session(20'000 + i, "victim");
            s.holds(10'000 + i, table.constData(), "AccessExclusiveLock", 60);
            s.waits(20'000 + i, table.constData(), "AccessShareLock", 20);
        }
        story.show(s.take());
        QCOMPARE(story.changesSeen.size(), 200);
    }

    void whatOthersMeasureIsARuleLikeAnyOther()
    {
        Story story({*defaultRules().rule(u"failing channel"_s)});
        Observation seen{server, at(0)};
        seen.elsewhere.emplace(1,
            MeasuredElsewhere{.condition = Condition::FailingChannel,
                .resource = u"pager"_s,
                .value = 150'000,
                .text = u"It refuses."_s,
                .server = u"ops1"_s});
        story.take(seen);
        COMPARE_TEXTS(story.changesSeen, "0 fired warning");
        QCOMPARE(story.last.cause.server, u"ops1"_s);
        QCOMPARE(story.last.title, u"pager: It refuses."_s);
    }

    /// A server that does not answer hides the rings that it is in, and no others.
    void aDeadlockOverServersEndsWhenItsServersAreSeen()
    {
        const auto ringAt = [](int second, const QStringList& hidden, bool isRing) {
            Observation seen = observed(SnapshotBuilder(second).take());
            seen.hiddenServers = hidden;
            seen.elsewhere.emplace();
            if (isRing)
                seen.elsewhere->push_back(
                    {Condition::DeadlockOverServers, resourceOf({u"stock:5432"_s, u"shop:5432"_s}), 60'000,
                        u"A deadlock over shop and stock."_s});
            return seen;
        };
        Story story({ruleOf(Condition::DeadlockOverServers, {{Severity::Critical, 1'000, 0s}}, 0s)});
        story.take(ringAt(0, {}, true));
        story.take(ringAt(2, {u"stock:5432"_s}, false));
        story.take(ringAt(4, {u"stock:5432"_s}, false));
        COMPARE_TEXTS(story.changesSeen, "0 fired critical");
        story.take(ringAt(6, {u"bank:5432"_s}, false));
        QCOMPARE(story.changesSeen.last(), u"6 resolved"_s);
    }

    void aHeadBlockersWaitOnAnotherServerIsInItsIncident()
    {
        Story story({ruleOf(Condition::BlockedSessions, {{Severity::Warning, 1, 0s}})});
        SnapshotBuilder s;
        block(s, 1);
        Observation seen = observed(s.take());
        seen.clientWaits = {{SessionId{52}, u"52 billing"_s, u"Another one."_s},
            {SessionId{51}, u"51 billing"_s, u"Its client waits on stock."_s}};
        story.take(seen);
        QCOMPARE(story.last.head.elsewhere, u"Its client waits on stock."_s);
        QVERIFY(linesOf(story.last, false).contains(u"On another server: Its client waits on stock."_s));
        QCOMPARE(incidentFromJson(toJson(story.last))->head, story.last.head);
        seen.at = at(2);
        seen.clientWaits.clear();
        story.take(seen);
        QVERIFY(story.last.head.elsewhere.isEmpty());
    }
};

LOCKSCOPE_TEST(tst_AlertEngine)

} // namespace tst_AlertEngine
#include "tst_AlertEngine.moc"
