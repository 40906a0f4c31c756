// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The conclusions from the event logs of sessions, and the limits of these.

#include "core/scenario/run/Judge.h"
#include "tests/support/TestProgram.h"

namespace tst_ScenarioJudge {

using namespace lockscope;
using namespace lockscope::scenario;

struct Line {
    qint64 us;
    EventKind kind;
    QString subject = {};
    qint64 value = 0;
};

static SessionLog::Copy logOf(std::initializer_list<Line> lines)
{
    SessionLog::Copy log;
    log.subjects << QString();
    for (const Line& line : lines) {
        if (!log.subjects.contains(line.subject))
            log.subjects << line.subject;
        log.events.push_back({line.us, line.kind, quint32(log.subjects.indexOf(line.subject)), line.value});
        log.counts.rounds += line.kind == EventKind::RoundBegin ? 1 : 0;
        log.counts.victims += line.kind == EventKind::Victim ? 1 : 0;
        log.counts.waited += line.kind == EventKind::Waited ? 1 : 0;
    }
    return log;
}

static SessionLog::Copy stay(const QString& section, qint64 from, qint64 to)
{
    return logOf({{from, EventKind::CriticalBegin, section}, {to, EventKind::CriticalEnd, section}});
}

static Violations judged(
    const Rules& rules, const std::vector<SessionLog::Copy>& logs, qint64 end = 1'000'000)
{
    return judge(rules, {}, logs, microseconds(end));
}

static qint64 overlaps(const std::vector<SessionLog::Copy>& logs)
{
    Rules rules;
    rules.oneHolder = true;
    return judged(rules, logs).violations.at(RunRule::OneHolder);
}

static Scenario scenarioOf(bool isUnsafe)
{
    Scenario scenario;
    scenario.invariant.violation = u"lost row|lost rows"_s;
    scenario.invariant.sql.emplace(Engine::Postgres, SqlTemplate(u"SELECT 0"_s));
    scenario.parameters.push_back({u"stale"_s, u"age"_s, Parameter::Type::Number, 500, 1, 10'000, {}});
    scenario.variants.emplace_back();
    scenario.variants[0].isUnsafe = isUnsafe;
    scenario.variants[0].title = u"Title"_s;
    scenario.variants[0].meaning = u"Why."_s;
    return scenario;
}

class tst_ScenarioJudge : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void twoHoldersAtOnce()
    {
        QCOMPARE(overlaps({stay(u"a"_s, 0, 10), stay(u"a"_s, 10, 20)}), 0);
        QCOMPARE(overlaps({stay(u"a"_s, 0, 10), stay(u"b"_s, 5, 20)}), 0);
        QCOMPARE(overlaps({stay(u"a"_s, 0, 10), stay(u"a"_s, 9, 20)}), 1);
        QCOMPARE(overlaps({stay(u"a"_s, 0, 100), stay(u"a"_s, 10, 20), stay(u"a"_s, 30, 40)}), 2);
        // A session is never in its own way.
        QCOMPARE(overlaps({logOf({{0, EventKind::CriticalBegin, u"a"_s}, {5, EventKind::CriticalEnd, u"a"_s},
                     {5, EventKind::CriticalBegin, u"a"_s}, {9, EventKind::CriticalEnd, u"a"_s}})}),
            0);
    }

    void openSectionLastsToTheEnd()
    {
        QCOMPARE(overlaps({logOf({{0, EventKind::CriticalBegin, u"a"_s}}), stay(u"a"_s, 900, 901)}), 1);
    }

    void cutLogProvesNothingAfterItsEnd()
    {
        SessionLog::Copy cut =
            logOf({{0, EventKind::CriticalBegin, u"a"_s}, {10, EventKind::WaitBegin, u"l"_s}});
        cut.dropped = 1;
        QCOMPARE(overlaps({cut, stay(u"a"_s, 900, 901)}), 0);
        Rules rules;
        rules.longestWaitMs = Amount{1, {}};
        const Violations violations = judged(rules, {cut});
        QVERIFY(!violations.isBroken());
        QVERIFY(!violations.sawAll);
    }

    void processedTwice()
    {
        Rules rules;
        rules.processedOnce = true;
        const auto one = logOf({{1, EventKind::Processed, u"7"_s}, {2, EventKind::Processed, u"8"_s}});
        const auto two = logOf({{3, EventKind::Processed, u"7"_s}, {4, EventKind::Processed, u"9"_s}});
        QCOMPARE(judged(rules, {one, two}).violations.at(RunRule::ProcessedOnce), 1);
        QCOMPARE(judged(rules, {one}).violations.at(RunRule::ProcessedOnce), 0);
    }

    void outOfOrder()
    {
        Rules rules;
        rules.inOrder = true;
        const auto one = logOf({{1, EventKind::Processed, u"1"_s}, {4, EventKind::Processed, u"3"_s}});
        QCOMPARE(judged(rules, {one, logOf({{2, EventKind::Processed, u"2"_s}})}).total(), 0);
        QCOMPARE(judged(rules, {one, logOf({{5, EventKind::Processed, u"2"_s}})}).total(), 1);
    }

    void waitedTooLong()
    {
        Rules rules;
        rules.longestWaitMs = Amount{1, {}};
        const auto wait = [](qint64 us) {
            return logOf({{0, EventKind::WaitBegin, u"l"_s}, {us, EventKind::Granted, u"l"_s}});
        };
        QCOMPARE(judged(rules, {wait(1'000)}).total(), 0);
        QCOMPARE(judged(rules, {wait(1'001)}).total(), 1);
        // It still waited when the run ended.
        QCOMPARE(judged(rules, {logOf({{0, EventKind::WaitBegin, u"l"_s}})}, 5'000).total(), 1);
        QCOMPARE(judged(rules, {logOf({{0, EventKind::WaitBegin, u"l"_s}})}, 500).total(), 0);
    }

    void nobodyWaits()
    {
        Rules rules;
        rules.nobodyWaits = true;
        // Asked in a way that could have waited, but got it at once.
        const auto atOnce = logOf({{0, EventKind::WaitBegin, u"l"_s}, {900'000, EventKind::Granted, u"l"_s}});
        const auto waited = logOf({{0, EventKind::WaitBegin, u"l"_s}, {1, EventKind::Granted, u"l"_s},
            {1, EventKind::Waited, u"l"_s}});
        QCOMPARE(judged(rules, {atOnce}).violations.at(RunRule::NobodyWaits), 0);
        const Violations violations = judged(rules, {atOnce, waited});
        QCOMPARE(violations.violations.at(RunRule::NobodyWaits), 1);
        QCOMPARE(violations.examples,
            (std::vector<Violation>{{RunRule::NobodyWaits, microseconds(1), 2, 0, u"l"_s}}));
    }

    void idleRoundsAreNoTries()
    {
        SessionLog log(10);
        for (int round = 0; round < 3; ++round) {
            log.note(EventKind::RoundBegin);
            if (round > 0)
                log.noteIdleRound();
            log.note(EventKind::RoundEnd);
        }
        QCOMPARE(judged({}, {log.copy()}).tries, 1);
    }

    void deadlocksAreCountedWithoutRoom()
    {
        Rules rules;
        rules.noDeadlock = true;
        SessionLog::Copy log = logOf({{1, EventKind::Victim}});
        log.counts.victims = 3;
        log.dropped = 2;
        QCOMPARE(judged(rules, {log}).violations.at(RunRule::NoDeadlock), 3);
        QCOMPARE(judged({}, {log}).total(), 0);
    }

    void examplesNameBothSessions()
    {
        Rules rules;
        rules.oneHolder = true;
        const auto violations = judged(rules, {stay(u"a"_s, 0, 10), stay(u"b"_s, 0, 9), stay(u"a"_s, 5, 20)});
        QCOMPARE(violations.examples,
            (std::vector<Violation>{{RunRule::OneHolder, microseconds(5), 3, 1, u"a"_s}}));
    }

    void verdictNeverSaysSafe()
    {
        Violations violations;
        violations.tries = 12;
        for (const bool isUnsafe : {true, false}) {
            const Scenario scenario = scenarioOf(isUnsafe);
            const QString text = verdict(scenario, scenario.variants[0], violations, {});
            VERIFY_STARTS(text, u"Not observed in 12 tries"_s);
            QCOMPARE(text.contains(u"does not make it safe"_s), isUnsafe);
            QCOMPARE(text.contains(u"Why."_s), !isUnsafe);
        }
        violations.tries = 0;
        const Scenario scenario = scenarioOf(false);
        QVERIFY(verdict(scenario, scenario.variants[0], violations, {}).startsWith(u"Nothing was tried"_s));
    }

    void verdictCounts()
    {
        const Scenario scenario = scenarioOf(true);
        Violations violations;
        violations.tries = 9;
        violations.violations = {{RunRule::Invariant, 1}, {RunRule::NoDeadlock, 2}, {RunRule::OneHolder, 0}};
        QCOMPARE(verdict(scenario, scenario.variants[0], violations, {}),
            u"In 9 tries it went wrong: 1 lost row, 2 deadlock victims. Why."_s);
    }

    void verdictSaysInPlainWordsWhatWasLost()
    {
        Scenario scenario = scenarioOf(true);
        scenario.invariant.outcome = u"%1 of %2 payments was lost|%1 of %2 payments were lost"_s;
        Violations violations;
        violations.tries = 2;
        violations.take({1, 2});
        const auto say = [&] { return verdict(scenario, scenario.variants[0], violations, {}); };
        QCOMPARE(say(), u"1 of 2 payments was lost. Why."_s);
        violations.tries = 670;
        violations.take({492, 666});
        violations.violations[RunRule::NoDeadlock] = 1;
        QCOMPARE(say(),
            u"492 of 666 payments were lost, 1 of 670 tries was rolled back as a deadlock victim. Why."_s);
        // The log's count of the same faults adds nothing.
        violations.violations = {{RunRule::OneHolder, 492}};
        violations.take({492, 666});
        QCOMPARE(say(), u"492 of 666 payments were lost. Why."_s);
    }

    void whoGetsARowLaterHasWaitedForIt()
    {
        const auto first = logOf({{1'000, EventKind::RowAsked, u"account row 1"_s},
            {1'200, EventKind::RowLocked, u"account row 1"_s},
            {9'000, EventKind::RowFreed, u"account row 1"_s}});
        const auto second = logOf({{3'000, EventKind::RowAsked, u"account row 1"_s},
            {9'100, EventKind::RowLocked, u"account row 1"_s},
            {9'500, EventKind::RowFreed, u"account row 1"_s}});
        // Refused after it had waited, as by a stricter isolation level.
        const auto third = logOf(
            {{4'000, EventKind::RowAsked, u"account row 1"_s}, {9'050, EventKind::Conflict, QString()}});
        const auto waits = rowWaits({&first, &second, &third});
        QCOMPARE(waits.size(), std::size_t(2));
        const auto waitOf = [](int session, qint64 from) {
            return RowWait{.session = session,
                .asked = 1,
                .from = from,
                .to = 9'000,
                .holder = 1,
                .held = 1,
                .heldFrom = 1'200,
                .heldTo = 9'000};
        };
        QCOMPARE(waits[0], waitOf(2, 3'000));
        QCOMPARE(waits[1], waitOf(3, 4'000));
    }

    void aRowThatNobodyWaitsForIsNoWait()
    {
        const auto of = [](const QString& row, qint64 from, qint64 to) {
            return logOf({{from, EventKind::RowAsked, row}, {from + 100, EventKind::RowLocked, row},
                {to, EventKind::RowFreed, row}});
        };
        const auto first = of(u"account row 1"_s, 1'000, 9'000);
        const auto other = of(u"account row 2"_s, 3'000, 9'500);
        const auto later = of(u"account row 1"_s, 9'000, 9'900);
        QCOMPARE(rowWaits({&first, &other, &later}).size(), std::size_t(0));
    }

    void equalCountsAreReportedOnce()
    {
        const Scenario scenario = scenarioOf(true);
        QCOMPARE(violationsText(
                     {{RunRule::Invariant, 3}, {RunRule::OneHolder, 3}, {RunRule::NoDeadlock, 1}}, scenario),
            u"3 lost rows (the sessions' log has as many), 1 deadlock victim"_s);
        QCOMPARE(violationsText({{RunRule::Invariant, 3}, {RunRule::ProcessedOnce, 2}}, scenario),
            u"3 lost rows, 2 items processed twice"_s);
        // Other faults that are as many by chance.
        QCOMPARE(violationsText({{RunRule::Invariant, 3}, {RunRule::NoDeadlock, 3}}, scenario),
            u"3 lost rows, 3 deadlock victims"_s);
        // So they count once where variants are compared.
        const auto total = [](const std::map<RunRule, qint64>& counts) {
            Violations violations;
            violations.violations = counts;
            return violations.total();
        };
        QCOMPARE(total({{RunRule::Invariant, 3}, {RunRule::OneHolder, 3}, {RunRule::NoDeadlock, 1}}), 4);
        QCOMPARE(total({{RunRule::Invariant, -3}, {RunRule::ProcessedOnce, 3}}), 3);
        QCOMPARE(total({{RunRule::Invariant, 3}, {RunRule::ProcessedOnce, 2}}), 5);
        QCOMPARE(total({{RunRule::OneHolder, 2}}), 2);
    }

    void verdictWithoutDatabaseSaysSo()
    {
        Scenario scenario = scenarioOf(true);
        scenario.invariant.sql.clear();
        Violations violations;
        violations.tries = 5;
        QVERIFY(verdict(scenario, scenario.variants[0], violations, {})
                    .startsWith(u"Not observed in 5 tries, judged by the sessions' log alone: "_s));
        violations.violations = {{RunRule::NoDeadlock, 2}};
        QCOMPARE(verdict(scenario, scenario.variants[0], violations, {}),
            u"2 of 5 tries were rolled back as deadlock victims. That is judged by the sessions' log alone. Why."_s);
    }

    void changedParametersAreNoFault()
    {
        const Scenario scenario = scenarioOf(false);
        Violations violations;
        violations.tries = 5;
        violations.violations = {{RunRule::Invariant, 2}};
        const auto say = [&](const QHash<QString, QString>& parameters) {
            return verdict(scenario, scenario.variants[0], violations, parameters);
        };
        VERIFY_CONTAINS(say({}), u"fault of the variant or of the server"_s);
        QCOMPARE(say({{u"stale"_s, u"500"_s}}), say({})); // that is what it has by default
        const QString changed = say({{u"stale"_s, u"10000"_s}});
        QVERIFY2(
            changed.contains(u"with stale=10000"_s) && !changed.contains(u"fault of"_s), qPrintable(changed));
    }

    void whoWritesOverAChangeTakesItAway()
    {
        const auto wrote = [](qint64 at, const QString& item, qint64 seen) {
            return Line{.us = at, .kind = EventKind::WroteOver, .subject = item, .value = seen};
        };
        // Three have read 5. The second and the third write over the one before; nobody disturbs item b.
        const std::vector<SessionLog::Copy> logs{logOf({wrote(10, u"a"_s, 5), wrote(50, u"b"_s, 0)}),
            logOf({wrote(20, u"a"_s, 5), wrote(60, u"b"_s, 1)}), logOf({wrote(30, u"a"_s, 5)})};
        const auto found = [](const std::vector<SessionLog::Copy>& of) {
            LogPointers pointers;
            for (const SessionLog::Copy& log : of)
                pointers.push_back(&log);
            return overwritings(pointers);
        };
        const auto lost = found(logs);
        QCOMPARE(lost.size(), std::size_t(2));
        QCOMPARE(lost[0], (Overwriting{.at = 20, .session = 2, .other = 1, .count = 1, .subject = 1}));
        QCOMPARE(lost[1], (Overwriting{.at = 30, .session = 3, .other = 2, .count = 1, .subject = 1}));
        // A session whose reading is old overwrites all changes since.
        const auto late = found({logOf({wrote(10, u"a"_s, 5), wrote(20, u"a"_s, 6)}),
            logOf({wrote(25, u"a"_s, 7)}), logOf({wrote(30, u"a"_s, 5)})});
        QCOMPARE(late.size(), std::size_t(1));
        QCOMPARE(late[0], (Overwriting{.at = 30, .session = 3, .other = 2, .count = 3, .subject = 1}));
        // One after the other, nothing is lost.
        QCOMPARE(
            found({logOf({wrote(10, u"a"_s, 5)}), logOf({wrote(20, u"a"_s, 6)})}).size(), std::size_t(0));
    }

    void briefSaysWhatWasLost()
    {
        Scenario scenario = scenarioOf(true);
        scenario.invariant.brief = u"lost %1 row|lost %1 rows"_s;
        QCOMPARE(briefText({{RunRule::Invariant, 3157}}, scenario), u"lost 3157 rows"_s);
        QCOMPARE(briefText({{RunRule::Invariant, 1}}, scenario), u"lost 1 row"_s);
        // Without a count in the database there is no such text.
        QCOMPARE(briefText({{RunRule::Invariant, 0}, {RunRule::NoDeadlock, 2}}, scenario),
            u"went wrong: 2 deadlock victims"_s);
    }

    void quantiles()
    {
        WaitHistogram waits;
        QCOMPARE(waits.quantile(0.5), microseconds(0));
        for (int us = 1; us <= 100'000; ++us)
            waits.add(microseconds(us));
        const auto isNear = [](microseconds value, double requested) {
            return std::abs(double(value.count()) / requested - 1) < 0.07;
        };
        QVERIFY(isNear(waits.quantile(0.5), 50'000));
        QVERIFY(isNear(waits.quantile(0.95), 95'000));
        QCOMPARE(waits.quantile(1), microseconds(100'000));
        QCOMPARE(waits.longest(), microseconds(100'000));
        WaitHistogram extreme;
        extreme.add(microseconds(std::numeric_limits<qint64>::max()));
        extreme.add(microseconds(-1));
        QCOMPARE(extreme.count(), 2);
        QCOMPARE(extreme.quantile(0.5), microseconds(0));
    }

    void logIsBounded()
    {
        SessionLog log(3);
        for (int i = 0; i < 5; ++i)
            log.note(EventKind::Victim, QString::number(i));
        const auto copy = log.copy();
        QCOMPARE(copy.events.size(), std::size_t(3));
        QCOMPARE(copy.subjects.size(), 4);
        QCOMPARE(copy.dropped, 2);
        QCOMPARE(copy.counts.victims, 5);
    }
};

LOCKSCOPE_TEST(tst_ScenarioJudge)

} // namespace tst_ScenarioJudge
#include "tst_ScenarioJudge.moc"
