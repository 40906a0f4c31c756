// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

#include "core/scenario/run/Interleaving.h"
#include "tests/support/TestProgram.h"

namespace tst_Interleaving {

using namespace lockscope;
using namespace lockscope::scenario;

class tst_Interleaving : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sessionsHaveLetters()
    {
        QCOMPARE(sessionLetter(1), u"A"_s);
        QCOMPARE(sessionLetter(26), u"Z"_s);
        QCOMPARE(sessionLetter(27), u"AA"_s);
        QCOMPARE(sessionLetter(200), u"GR"_s);
        QCOMPARE(interleavingFromText(u"a/b sessions=200: GR1"_s)->steps[0].session, 200);
    }

    void textGoesThereAndBack()
    {
        const QString text = u"rebuild/unsafe sessions=3 rounds=2 seed=7 age=5 table=list: A1 B1 A2* C1 B2"_s;
        const auto read = interleavingFromText(text);
        VERIFY_DONE(read);
        QCOMPARE(read->sessions, 3);
        QCOMPARE(read->rounds, 2);
        QCOMPARE(read->seed, 7U);
        QCOMPARE(read->parameters.value(u"age"_s), u"5"_s);
        QVERIFY(read->steps[2].isBlocked);
        QCOMPARE(read->switches(), 4);
        QCOMPARE(toText(*read), text);
        // Defaults are not written.
        QCOMPARE(toText(*interleavingFromText(u"a/b sessions=2 rounds=1 seed=1: A1"_s)), u"a/b: A1"_s);
    }

    void textMayBeBroken()
    {
        const auto read =
            test::orDie(interleavingFromText(u"  lost-update/unsafe\n   accounts=1 :A1\n\tB1   A2 \n"_s));
        QCOMPARE(toText(read), u"lost-update/unsafe accounts=1: A1 B1 A2"_s);
    }

    void jsonGoesThereAndBack()
    {
        Interleaving all = *interleavingFromText(u"a/b sessions=3 seed=4294967295 x=1: A1 B1 A2* C1"_s);
        all.engine = Engine::Sqlite;
        all.steps[0].label = u"read"_s;
        all.steps[0].text = u"SELECT 'ä'"_s;
        all.steps[1].outcome = StepOutcome::Denied;
        all.steps[2].blockers = {2, 3};
        all.steps[2].on = u"t row (0,1)"_s;
        all.steps[2].isEnded = false;
        all.violations = {{RunRule::Invariant, 2}, {RunRule::OneHolder, 0}};
        const auto read = readInterleaving(QJsonDocument(toJson(all)).toJson(), u"f"_s);
        VERIFY_DONE(read);
        QCOMPARE(read->engine, all.engine);
        QCOMPARE(read->seed, all.seed);
        QCOMPARE(read->parameters, all.parameters);
        QVERIFY(read->steps == all.steps);
        QVERIFY(read->violations == all.violations);
    }

    void nonsenseIsRefused_data()
    {
        test::addColumns<QString, QString>("text", "says");
        test::row("no colon", "lost-update/unsafe A1", "no colon");
        test::row("no variant", "lost-update: A1", "\"lost-update\" is no scenario and variant.");
        test::row("no step", "a/b: A1 B", "\"B\" is no step.");
        test::row("a gap", "a/b: A1 A3", "A3 comes where A2 is expected.");
        test::row("no session", "a/b: C1", "C1 is of no session: there are 2.");
        test::row("no number", "a/b sessions=x: A1", "\"x\" is no number for sessions.");
        test::row("too many", "a/b sessions=201: A1", "sessions can't be 201.");
        test::row("no value", "a/b x: A1", "\"x\" is not NAME=VALUE.");
    }

    void nonsenseIsRefused()
    {
        FETCH(QString, text, QString, says);
        const auto read = interleavingFromText(text);
        VERIFY_FAILS(ErrorKind::BadInput, read);
        VERIFY_CONTAINS(read.error().toString(), says);
    }

    void jsonNonsenseIsRefused_data()
    {
        test::addColumns<QByteArray, QString>("json", "says");
        test::row("no JSON", QByteArray("{"), "f is no JSON object");
        test::row("nothing in it", QByteArray("{}"), "\"scenario\" is missing");
        const QByteArray head =
            R"({"scenario": "a", "variant": "b", "engine": "postgres", "sessions": 2, "rounds": 1, )";
        test::row("no seed", head + R"("steps": []})", "\"seed\" is missing");
        test::row("no steps", head + R"("seed": 1})", "\"steps\" is no list");
        test::row("bad session", head + R"("seed": 1, "steps": [{"session": "a", "step": 1}]})",
            "There is no session \"a\".");
        test::row("bad outcome",
            head + R"("seed": 1, "steps": [{"session": "A", "step": 1, "outcome": "x"}]})",
            "There is no outcome \"x\".");
        test::row("a gap", head + R"("seed": 1, "steps": [{"session": "A", "step": 2}]})",
            "A2 comes where A1 is expected.");
    }

    void jsonNonsenseIsRefused()
    {
        FETCH(QByteArray, json, QString, says);
        const auto read = interleavingFromJson(json, u"f"_s);
        QVERIFY(!read);
        VERIFY_CONTAINS(read.error().toString(), says);
    }
};

LOCKSCOPE_TEST(tst_Interleaving)

} // namespace tst_Interleaving
#include "tst_Interleaving.moc"
