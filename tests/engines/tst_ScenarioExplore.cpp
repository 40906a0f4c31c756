// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Interleavings executed for real: all of a small scenario, the simplest one that goes wrong, and one that
// was recorded done again.

#include "core/report/Writer.h"
#include "core/scenario/explore/Explore.h"
#include "core/scenario/explore/StepTable.h"
#include "tests/support/ScenarioRig.h"

namespace tst_ScenarioExplore {

using namespace lockscope;
using namespace lockscope::scenario;
using namespace lockscope::test;

/// Two sessions that read a number and write it back, plus one.
static ScenarioPtr counter(const QByteArray& readLabel = "read")
{
    QByteArray text = R"json({"id": "counter", "title": "t", "story": "s", "engines": ["postgres", "sqlite"],
        "setup": ["CREATE TABLE t (n int)", "INSERT INTO t VALUES (0)"],
        "invariant": {"sql": "SELECT 0", "meaning": "m", "violation": "v"},
        "variants": [{"id": "u", "title": "t", "strategy": "s", "unsafe": true, "meaning": "m", "roles": [
        {"name": "r", "steps": [{"sql": "SELECT n FROM t", "label": "LABEL", "into": "n"},
        {"sql": {"postgres": "UPDATE t SET n = :n::int + 1", "sqlite": "UPDATE t SET n = :n + 1"},
         "label": "write"}]}]}]})json";
    text.replace("LABEL", readLabel);
    return readScenario(text, u"f"_s).value();
}

/// Two sessions that draw a number and note it.
static ScenarioPtr lottery(bool isLate = false)
{
    QByteArray text = R"json({"id": "lottery", "title": "t", "story": "s", "engines": ["postgres"],
        "setup": ["CREATE TABLE t (n int)"],
        "invariant": {"sql": "SELECT 0", "meaning": "m", "violation": "v"},
        "variants": [{"id": "u", "title": "t", "strategy": "s", "unsafe": true, "meaning": "m", "roles": [
        {"name": "r", "steps": [LATE{"draw": {"into": "n", "to": 3}},
        {"sql": "INSERT INTO t VALUES (:n::int)"}]}]}]})json";
    text.replace("LATE", isLate ? R"json({"sql": "SELECT 1"}, )json" : "");
    return readScenario(text, u"f"_s).value();
}

class tst_ScenarioExplore : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyInterleavingIsExecuted_data()
    {
        addColumns<Engine, int, qint64>("engine", "sessions", "all");
        // Two steps each: 4! / (2! 2!), 6! / (2! 2! 2!).
        row("two sessions", Engine::Postgres, 2, qint64(6));
        row("three sessions", Engine::Postgres, 3, qint64(90));
        row("two sessions, SQLite", Engine::Sqlite, 2, qint64(6));
    }
    void everyInterleavingIsExecuted()
    {
        QFETCH(Engine, engine);
        QFETCH(int, sessions);
        QFETCH(qint64, all);
        ExploreOrder order;
        order.steps.run.scenario = counter();
        order.steps.run.sessions = sessions;
        const ExploreReport report = run(order, engine);
        QVERIFY(report.isComplete);
        QCOMPARE(report.executed, all);
        QCOMPARE(report.unrepeatable, 0);
        QCOMPARE(report.broken, 0);
        VERIFY_STARTS(report.verdict, u"Not observed in all %1 interleavings"_s.arg(all));
    }

    void simplestWitnessIsFound()
    {
        const ExploreReport report =
            exploreAll(ScenarioRig::shipped(u"lost-update"_s), u"unsafe"_s, {{u"accounts"_s, u"1"_s}});
        QVERIFY(report.isComplete);
        QVERIFY(report.broken > 0 && report.broken < report.executed);
        QVERIFY(report.witness);
        // One reads, the other one does all, the first one writes: nothing with fewer switches goes wrong.
        QCOMPARE(report.witness->switches(), 2);
        QCOMPARE(toText(*report.witness), u"lost-update/unsafe accounts=1: A1 A2 B1 B2 B3 B4 B5 A3 A4 A5"_s);
        // A person copies it from a narrow terminal, or from a page.
        for (const report::Form form : {report::Form::Text, report::Form::Markdown, report::Form::Html})
            VERIFY_CONTAINS(rendered(reportOf(report), form, {.width = 20}), toText(*report.witness));
        // The witness has the form that replay takes.
        const ReplayReport same = again(*report.witness, report.scenario);
        QVERIFY(same.divergences.empty());
        QCOMPARE(same.violations.violations.at(RunRule::Invariant), 1);
    }

    void safeVariantHoldsInAll()
    {
        const ExploreReport report =
            exploreAll(ScenarioRig::shipped(u"lost-update"_s), u"row-lock"_s, {{u"accounts"_s, u"1"_s}});
        QVERIFY(report.isComplete);
        QVERIFY(report.executed > 2);
        QCOMPARE(report.broken, 0);
        QCOMPARE(report.stuck, 0);
        QVERIFY(!report.witness);
    }

    void deadlockIsAmongThem()
    {
        const ExploreReport report =
            exploreAll(ScenarioRig::shipped(u"deadlock-rows"_s), u"unsafe"_s, {{u"accounts"_s, u"2"_s}}, 300);
        QVERIFY2(report.broken > 0, qPrintable(report.verdict));
        QVERIFY(report.violations.violations.at(RunRule::NoDeadlock) > 0);
        const auto& steps = report.witness->steps;
        QVERIFY(std::ranges::any_of(
            steps, [](const StepRecord& step) { return step.outcome == StepOutcome::Victim; }));
        QVERIFY(again(*report.witness, report.scenario).divergences.empty());
    }

    void stuckOnesAreCounted()
    {
        const ExploreReport report = exploreAll(ScenarioRig::shipped(u"forgotten-release"_s), u"unsafe"_s);
        QVERIFY(report.stuck > 0);
        QCOMPARE(report.broken, report.stuck);
        QCOMPARE(report.violations.violations.at(RunRule::LongestWait), 1);
    }

    void limitIsReported()
    {
        const ExploreReport report = exploreAll(
            ScenarioRig::shipped(u"lost-update"_s), u"one-statement"_s, {{u"accounts"_s, u"1"_s}}, 5);
        QVERIFY(!report.isComplete);
        QCOMPARE(report.executed, 5);
        QVERIFY(report.atMost > 5);
        VERIFY_CONTAINS(report.verdict, u"5 interleavings of at most"_s);
        QVERIFY(report.verdict.contains(u"does not make it safe"_s));
    }

    void sampleIsReportedAsOne()
    {
        ExploreOrder order;
        order.steps.run.scenario = counter();
        order.steps.run.sessions = 4;
        order.steps.run.seed = 5;
        order.sample = 20;
        const ExploreReport report = run(order);
        QVERIFY(report.executed > 1 && report.executed <= 20);
        QVERIFY(!report.isComplete);
        VERIFY_CONTAINS(report.verdict, u"drawn at random"_s);
    }

    void drawsDiffer()
    {
        // With two accounts the sessions draw (1,1), (1,2), (2,1) or (2,2).
        ExploreOrder order;
        order.steps.run.scenario = ScenarioRig::shipped(u"device-sync"_s);
        order.steps.run.parameters = {{u"customers"_s, u"2"_s}};
        const ExploreReport report = run(order);
        QCOMPARE(report.draws, 4);
        QCOMPARE(report.allDraws, 4.);
        QVERIFY(report.isComplete);
        QVERIFY(report.broken > 0);
    }

    void everyDrawIsTried()
    {
        ExploreOrder order;
        order.steps.run.scenario = lottery();
        const ExploreReport report = run(order);
        QVERIFY(report.isComplete);
        QCOMPARE(report.draws, 9);
        QCOMPARE(report.executed, 18); // one step each
        VERIFY_CONTAINS(report.verdict, u"all 9 different draws"_s);
    }

    void drawsThatWereNotTriedAreReported()
    {
        ExploreOrder order;
        order.steps.run.scenario = lottery();
        order.draws = 4;
        const ExploreReport report = run(order);
        QCOMPARE(report.executed, 8);
        QVERIFY(!report.isComplete);
        QCOMPARE(report.atMost, 18.);
        VERIFY_CONTAINS(report.verdict, u"4 of 9 different draws"_s);
        QVERIFY(report.verdict.contains(u"does not make it safe"_s));
        QCOMPARE(toJson(report)[u"complete"].toBool(), false);
        QCOMPARE(toJson(report)[u"all_draws"].toInt(), 9);
    }

    void unknownDrawsAreNeverAll()
    {
        ExploreOrder order;
        order.steps.run.scenario = lottery(true);
        const ExploreReport report = run(order);
        QVERIFY(!report.isComplete);
        VERIFY_CONTAINS(report.verdict, u"of an unknown number"_s);
        QVERIFY(toJson(report)[u"all_draws"].isNull());
    }

    void unsafeVariantsHaveAWitness_data()
    {
        addColumns<QString, QString>("scenario", "variant");
        for (const ScenarioPtr& scenario : ScenarioRig::shipped().scenarios)
            for (const Variant& variant : scenario->variants)
                if (variant.isUnsafe && variant.engines.contains(Engine::Postgres))
                    QTest::addRow("%s/%s", qPrintable(scenario->id), qPrintable(variant.id))
                        << scenario->id << variant.id;
    }
    /// Only the id is given.
    void unsafeVariantsHaveAWitness()
    {
        QFETCH(QString, scenario);
        QFETCH(QString, variant);
        ExploreOrder order;
        order.steps.run.scenario = ScenarioRig::shipped(scenario);
        order.steps.run.variant = variant;
        if (const QString& why = order.steps.run.scenario->explore.noWitness; !why.isEmpty())
            QSKIP(qPrintable(why));
        // The first one will do.
        std::stop_source stop;
        const auto report =
            explore(m_rig.server(), order, stop.get_token(), [&stop](const ExploreProgress& progress) {
                if (progress.broken > 0)
                    stop.request_stop();
            });
        VERIFY_DONE(report);
        QVERIFY2(report->witness, qPrintable(report->verdict));
        qInfo("%lld interleavings in %lld ms: %s", static_cast<long long>(report->executed),
            static_cast<long long>(report->duration.count()), qPrintable(toText(*report->witness)));
    }

    void recordedGoesTheSameWay()
    {
        const ScenarioPtr scenario = ScenarioRig::shipped(u"lost-update"_s);
        const QString text = u"lost-update/row-lock accounts=1: A1 A2 B1 B2* A3 A4 A5 B3 B4 B5"_s;
        const ReplayReport first = again(*interleavingFromText(text), scenario);
        QVERIFY2(first.divergences.empty(),
            qPrintable(first.divergences.empty() ? QString() : first.divergences[0].toString()));
        QCOMPARE(toText(first.happened), text);
        // The whole record is written, read and done again, too.
        const auto read = readInterleaving(QJsonDocument(toJson(first.happened)).toJson(), u"f"_s);
        QVERIFY(read);
        QCOMPARE(read->steps[3].blockers, std::vector{1});
        const ReplayReport second = again(*read, scenario);
        QVERIFY(second.divergences.empty());
        QVERIFY(second.happened.steps == first.happened.steps);
        QCOMPARE(second.violations.total(), 0);
    }

    void changedScenarioDiverges()
    {
        const Interleaving recorded =
            again(*interleavingFromText(u"counter/u: A1 B1 A2 B2"_s), counter()).happened;
        const ReplayReport report = again(recorded, counter("look"));
        QCOMPARE(report.divergences.size(), std::size_t(2));
        QCOMPARE(report.divergences[0].toString(), u"step 1 (A1): expected \"read\"; found \"look\""_s);
        QCOMPARE(report.divergences[1].line, 2);
    }

    void lockThatIsGoneDiverges()
    {
        Interleaving recorded =
            again(*interleavingFromText(u"lost-update/row-lock accounts=1: A1 A2 B1 B2* A3 A4 A5"_s),
                ScenarioRig::shipped(u"lost-update"_s))
                .happened;
        recorded.variant = u"unsafe"_s;
        const ReplayReport report = again(recorded, ScenarioRig::shipped(u"lost-update"_s));
        QStringList texts;
        for (const Divergence& each : report.divergences)
            texts << each.toString();
        QVERIFY2(texts.contains(u"step 4 (B2*): expected B2 waits for A; found B2 goes through"_s),
            qPrintable(texts.join(u'\n')));
    }

    void commandLine()
    {
        const QString file = m_rig.file(u"witness.json"_s);
        const Ended found =
            lockctl({u"explore"_s, u"lost-update"_s, u"--set"_s, u"accounts=1"_s, u"--save"_s, file});
        QCOMPARE(found.code, 1);
        VERIFY_CONTAINS(found.out, u"payment is missing from the balances"_s);
        const QString text = u"lost-update/unsafe accounts=1: A1 A2 B1 B2 B3 B4 B5 A3 A4 A5"_s;
        QVERIFY(found.out.contains(text));
        const Ended fromFile = lockctl({u"replay"_s, file});
        QCOMPARE(fromFile.code, 1);
        QVERIFY2(fromFile.err.isEmpty(), qPrintable(fromFile.err));
        const Ended fromText = lockctl(QStringList{u"replay"_s} + text.split(u' '));
        QCOMPARE(fromText.code, 1);
        QVERIFY(fromText.out.contains(u"write the sum"_s));
        const Ended csv =
            lockctl(QStringList{u"replay"_s, file, u"--table"_s, u"steps"_s, u"--format"_s, u"csv"_s});
        VERIFY_STARTS(csv.out, u"step,what,statement,result\r\nA1,"_s);
        QCOMPARE(csv.out.count(u"\r\n"_s), 11);
        const Ended page = lockctl(QStringList{u"replay"_s, file, u"--format"_s, u"html"_s});
        VERIFY_CONTAINS(page.out, u"write the sum</td>"_s);

        const Ended safe = lockctl({u"explore"_s, u"lost-update"_s, u"--variant"_s, u"one-statement"_s,
            u"--set"_s, u"accounts=1"_s, u"--json"_s});
        QCOMPARE(safe.code, 0);
        const auto json = QJsonDocument::fromJson(safe.out.toUtf8()).object();
        QCOMPARE(json[u"complete"].toBool(), true);
        QVERIFY(json[u"witness"].isNull());
        QVERIFY(json[u"lock_order"][u"schedules"].toInt() > 0);
        QCOMPARE(json[u"lock_order"][u"potential_deadlocks"].toArray().size(), 0);

        // Opposite orders, whether or not an interleaving that was executed is a deadlock.
        const QStringList rows{u"explore"_s, u"deadlock-rows"_s, u"--limit"_s, u"1"_s};
        const Ended orders = lockctl(rows);
        QVERIFY2(orders.out.contains(u"Potential deadlock: "_s), qPrintable(orders.out + orders.err));
        const auto result =
            QJsonDocument::fromJson(lockctl(rows + QStringList{u"--json"_s}).out.toUtf8()).object();
        QVERIFY(result[u"lock_order"][u"verdict"].toString().startsWith(u"Potential deadlock: "_s));

        const Ended changed =
            lockctl({u"replay"_s, u"lost-update/one-statement accounts=1: A1 A2 B1 B2 A3"_s});
        QCOMPARE(changed.code, 1);
        QVERIFY2(changed.err.contains(u"step 4 (B2): expected B2 goes through; found B2* waits"_s)
                || changed.err.contains(u"step 4 (B2): expected B2 goes through; found B2 waits for A"_s),
            qPrintable(changed.err));
        QCOMPARE(lockctl({u"replay"_s, u"lost-update/unsafe: A1 A3"_s}).code, 2);
        QCOMPARE(lockctl({u"replay"_s, u"no-such/unsafe: A1"_s}).code, 2);
    }

private:
    ExploreReport exploreAll(const ScenarioPtr& scenario, const QString& variant,
        const QHash<QString, QString>& parameters = {}, int maximum = 2'000)
    {
        ExploreOrder order;
        order.steps.run.scenario = scenario;
        order.steps.run.variant = variant;
        order.steps.run.parameters = parameters;
        order.maximum = maximum;
        return run(order);
    }
    ExploreReport run(const ExploreOrder& order, Engine engine = Engine::Postgres)
    {
        return orDie(explore(m_rig.server(engine), order));
    }
    ReplayReport again(const Interleaving& recorded, const ScenarioPtr& scenario)
    {
        return orDie(replay(m_rig.server(), recorded, scenario));
    }
    struct Ended {
        int code = -1;
        QString out;
        QString err;
    };
    Ended lockctl(const QStringList& arguments) const
    {
        const auto process = m_rig.lockctl(arguments);
        process->waitForFinished(60'000);
        return {process->exitCode(), QString::fromUtf8(process->readAllStandardOutput()),
            QString::fromUtf8(process->readAllStandardError())};
    }

    ScenarioRig m_rig;
};

LOCKSCOPE_TEST_AT_ONCE(tst_ScenarioExplore)

} // namespace tst_ScenarioExplore
#include "tst_ScenarioExplore.moc"
