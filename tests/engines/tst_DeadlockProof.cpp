// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A report becomes a scenario in which the deadlock really happens, and in which executing all orders shows
// which change cures it.

#include "core/deadlock/ReadReports.h"
#include "core/scenario/deadlock/Proof.h"
#include "tests/support/DeadlockReports.h"
#include "tests/support/ScenarioRig.h"

namespace tst_DeadlockProof {

using namespace lockscope;
using namespace lockscope::scenario;
using namespace lockscope::test;

static deadlock::Deadlock readOne(const QByteArray& text)
{
    const auto reports = deadlock::readReports(text, u"made"_s);
    if (!reports || reports->size() != 1 || reports->first()->cycles.isEmpty())
        qFatal("the made report is not read: %s", text.constData());
    return deadlock::deadlocksOf(reports->first()).first();
}

static DeadlockScenario madeOf(const QByteArray& text)
{
    return orDie(deadlockScenario(readOne(text)));
}

/// Both share a row, and both wait to write it.
static QByteArray conversionXml()
{
    QByteArray xml = deadlockXml(2,
        {{"keylock", R"(hobtid="1" dbid="5" objectname="shop.dbo.orders" indexname="PK_orders")", 1, "S", 0,
            "X", true}});
    const QByteArray waiter = R"(<waiter id="process0" mode="X" requestType="convert"/>)";
    return xml.replace(waiter, waiter + R"(<waiter id="process1" mode="X" requestType="convert"/>)");
}

/// Each reads at the isolation that row versions serve.
static QByteArray asReaders(QByteArray xml)
{
    return xml.replace("repeatable read (3)", "read committed (2)")
        .replace("UPDATE dbo.orders SET n =", "SET NOCOUNT ON; SELECT n FROM dbo.orders WHERE id =");
}

/// PostgreSQL's log of two sessions, 4711 and 4712, each waiting in that mode for that thing which the other
/// one has.
static QByteArray postgresLog(const QByteArray& mode, const QByteArray& firstThing,
    const QByteArray& secondThing, const QByteArray& first, const QByteArray& second)
{
    return "2026-11-22 03:12:07.120 UTC [4711] ERROR:  deadlock detected\n"
           "2026-11-22 03:12:07.120 UTC [4711] DETAIL:  Process 4711 waits for "
        + mode + " on " + firstThing + "; blocked by process 4712.\n\tProcess 4712 waits for " + mode + " on "
        + secondThing + "; blocked by process 4711.\n\tProcess 4711: " + first + "\n\tProcess 4712: " + second
        + "\n2026-11-22 03:12:07.120 UTC [4711] HINT:  See server log for query details.\n"
          "2026-11-22 03:12:07.120 UTC [4711] STATEMENT:  "
        + first + "\n";
}
static QByteArray transactionsLog(const QByteArray& first, const QByteArray& second)
{
    return postgresLog("ShareLock", "transaction 745", "transaction 744", first, second);
}

static const VariantProof* find(const DeadlockProof& proof, const QString& variant)
{
    for (const VariantProof& each : proof.variants)
        if (each.variant == variant)
            return &each;
    return nullptr;
}

/// "reported: deadlocks in 6 of 20 orders; one-order: 0 of …"
static QString textOf(const DeadlockProof& proof)
{
    QStringList parts;
    for (const VariantProof& each : proof.variants)
        parts << each.variant + u": "_s + each.verdict();
    return parts.join(u"; "_s);
}

class tst_DeadlockProof : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void reportedOrderDeadlocksAndChangesCureIt_data()
    {
        addColumns<QByteArray, QStringList>("report", "cures");
        QTest::newRow("two rows") << twoRowsXml()
                                  << QStringList{u"one-order"_s, u"parent-first"_s, u"one-statement"_s};
        QTest::newRow("reading, then writing")
            << conversionXml() << QStringList{u"update-lock"_s, u"parent-first"_s};
        QTest::newRow("reader against writer") << asReaders(deadlockXml(2,
            {{"keylock", R"(hobtid="1" dbid="5" objectname="shop.dbo.orders" indexname="PK_orders")", 1, "X",
                 0, "S"},
                {"keylock", R"(hobtid="2" dbid="5" objectname="shop.dbo.lines" indexname="PK_lines")", 0, "X",
                    1, "S"}})) << QStringList{u"one-order"_s, u"read-committed-version"_s};
        QTest::newRow("application locks") << deadlockXml(2,
            {{"applicationlock", R"(hash="a1" databasePrincipalId="0" dbid="5")", 1, "X", 0, "X"},
                {"applicationlock", R"(hash="b2" databasePrincipalId="0" dbid="5")", 0, "X", 1, "X"}})
                                           << QStringList{u"one-order"_s, u"parent-first"_s};
        QTest::newRow("tables") << deadlockXml(2,
            {{"objectlock", R"(objid="11" dbid="5" objectname="shop.dbo.orders")", 1, "IX", 0, "X"},
                {"objectlock", R"(objid="12" dbid="5" objectname="shop.dbo.lines")", 0, "IX", 1, "X"}})
                                << QStringList{u"one-order"_s, u"parent-first"_s};
    }
    void reportedOrderDeadlocksAndChangesCureIt()
    {
        FETCH(QByteArray, report, QStringList, cures);
        const auto proof = prove(m_rig.server(), madeOf(report).scenario);
        VERIFY_DONE(proof);
        QVERIFY2(proof->happened(), qPrintable(textOf(*proof)));
        for (const QString& cure : cures) {
            const VariantProof* variant = find(*proof, cure);
            QVERIFY2(variant && proof->cures(*variant), qPrintable(cure + u" of "_s + textOf(*proof)));
            QVERIFY2(
                variant->report.executed > 1 || cure == u"one-statement", qPrintable(variant->verdict()));
            VERIFY_STARTS(variant->verdict(), u"0 of "_s);
        }
        QCOMPARE(m_rig.remains(), QString());
    }

    void heldModesThatTheLogDoesNotName_data()
    {
        QTest::addColumn<QByteArray>("report");
        // Both have it shared, and both wait to have it alone.
        QTest::newRow("one advisory lock") << postgresLog("ExclusiveLock", "advisory lock [5,0,1,1]",
            "advisory lock [5,0,1,1]", "SELECT pg_advisory_xact_lock(1)", "SELECT pg_advisory_xact_lock(1)");
        QTest::newRow("a reader in the queue of a changed row") << postgresLog("RowShareLock",
            "tuple (0,1) of relation 16384 of database 5", "tuple (0,2) of relation 16384 of database 5",
            "SELECT n FROM t WHERE id = 1 FOR SHARE", "SELECT n FROM t WHERE id = 2 FOR SHARE");
    }
    void heldModesThatTheLogDoesNotName()
    {
        QFETCH(QByteArray, report);
        const DeadlockProof proof = proved(report);
        QVERIFY2(proof.happened(), qPrintable(textOf(proof)));
    }

    void whatWasEndedProvesNothing()
    {
        DeadlockProof proof;
        VariantProof reported{.variant = u"reported"_s, .title = u"As reported"_s, .isReported = true};
        reported.report.executed = 9;
        reported.report.atMost = 369'600;
        QCOMPARE(proof.conclusion(reported), u"not all were tried"_s);
        reported.report.stuck = 1; // the server looks for deadlocks late
        proof.variants = {reported};
        QCOMPARE(proof.conclusion(reported), u"it happens"_s);
        QVERIFY(proof.happened());
        // An assumption that was not executed may be one that the change does not cure.
        proof.variants.front().assumes = u"each locks a row of its own"_s;
        VariantProof ordered{.variant = u"one-order"_s,
            .title = u"One order for all"_s,
            .assumes = proof.variants.front().assumes};
        ordered.report.executed = 70;
        ordered.report.isComplete = true;
        proof.variants.push_back(ordered);
        QVERIFY(proof.cures(ordered));
        proof.assumptions = 2;
        QVERIFY(!proof.cures(ordered));
        QCOMPARE(proof.conclusion(ordered), u"cures it if each locks a row of its own; not all were tried"_s);
    }

    void equalResultsAreOneLine()
    {
        DeadlockProof proof{.assumptions = 2};
        for (const QString& assumes : {u"each locks a row of its own"_s, u"all lock the same row"_s}) {
            const QString mark = proof.variants.empty() ? QString() : u"-if-2"_s;
            const auto add = [&](const QString& id, const QString& title, bool isReported, int broken) {
                VariantProof each{.variant = id + mark,
                    .title = u"%1, if %2"_s.arg(title, assumes),
                    .assumes = assumes,
                    .isReported = isReported};
                each.report.executed = 6;
                each.report.broken = broken;
                each.report.isComplete = true;
                proof.variants.push_back(each);
            };
            add(u"reported"_s, u"As reported"_s, true, mark.isEmpty() ? 2 : 4);
            add(u"parent-first"_s, u"Lock the parent first"_s, false, 0);
            add(u"one-order"_s, u"One order for all"_s, false, mark.isEmpty() ? 0 : 1);
        }
        QStringList lines;
        for (const ProvedChange& each : proof.changes())
            lines << u"%1: %2: %3"_s.arg(each.title, each.shown, each.so);
        COMPARE_TEXTS(lines,
            "As reported: deadlocks in 2 of 6 orders, if each locks a row of its own; deadlocks in 4 of 6 orders, if all lock the same row: it happens",
            "Lock the parent first: 0 of 6 orders deadlock, if each locks a row of its own or all lock the same row: cures the reproduced deadlock",
            "One order for all: 0 of 6 orders deadlock, if each locks a row of its own; deadlocks in 1 of 6 orders, if all lock the same row: cures it only if each locks a row of its own");
    }

    /// A lock_timeout that the role presets would end the waits that make the deadlock.
    void aRolesTimeLimitsDoNotCount()
    {
        const db::ServerUrl hasty = test::TestServer::shared().asRole(m_rig.url(),
            u"GRANT CREATE, TEMPORARY ON DATABASE %1 TO {role}; ALTER ROLE {role} SET lock_timeout = '1ms'; ALTER ROLE {role} SET default_transaction_isolation = 'serializable'; ALTER ROLE {role} SET idle_in_transaction_session_timeout = '5ms'"_s
                .arg(m_rig.url().database));
        const auto proof = prove(test::TestServer::shared().at(hasty), madeOf(twoRowsXml()).scenario);
        VERIFY_DONE(proof);
        QVERIFY2(proof->happened(), qPrintable(textOf(*proof)));
        const VariantProof* const ordered = find(*proof, u"one-order"_s);
        QVERIFY2(ordered && proof->cures(*ordered), qPrintable(textOf(*proof)));
    }

    void oneRowOrTwo_data()
    {
        QTest::addColumn<QByteArray>("report");
        QTest::addColumn<QString>("conclusions"); // of the change and its number, where it was executed
        const QString open =
            u"reported: it happens; one-order: cures it only if each locks a row of its own; parent-first: cures the reproduced deadlock; reported-if-2: it happens; update-lock-if-2: cures it only if all lock the same row; parent-first-if-2: cures the reproduced deadlock"_s;
        const QByteArray locks = "SELECT * FROM parent WHERE id = 1 FOR UPDATE";
        QTest::newRow("the same statement") << transactionsLog(locks, locks) << open;
        QTest::newRow("parameters") << transactionsLog(
            "UPDATE accounts SET n = n + $1 WHERE id = $2", "UPDATE accounts SET n = n + $1 WHERE id = $2")
                                    << open;
        QTest::newRow("other columns") << transactionsLog(
            "UPDATE accounts SET n = 1 WHERE id = 1", "UPDATE accounts SET n = 1 WHERE number = 2")
                                       << open;
        QTest::newRow("other values") << transactionsLog(
            "UPDATE accounts SET n = 1 WHERE id = 1", "UPDATE accounts SET n = 1 WHERE id = 2")
                                      << open;
        QTest::newRow("other tables") << transactionsLog(
            "UPDATE accounts SET n = 1 WHERE id = 1", "UPDATE orders SET n = 1 WHERE id = 1")
                                      << open;
    }
    void oneRowOrTwo()
    {
        FETCH(QByteArray, report, QString, conclusions);
        const DeadlockProof proof = proved(report);
        QStringList found;
        for (const VariantProof& each : proof.variants)
            if (!each.variant.startsWith(u"one-statement"))
                found << each.variant + u": "_s + proof.conclusion(each);
        QCOMPARE(found.join(u"; "_s), conclusions);
        VERIFY_STARTS(proof.product, u"PostgreSQL "_s);
    }

    void originalStatementsOfOneRow_data()
    {
        QTest::addColumn<QString>("setup");
        QTest::addColumn<QStringList>("statements"); // of both sessions
        QTest::addColumn<bool>("deadlocks");
        const QString row = u"CREATE TABLE t (id int PRIMARY KEY, n int); INSERT INTO t VALUES (1, 0)"_s;
        const QString family = row + u"; CREATE TABLE child (parent int NOT NULL REFERENCES t, n int)"_s;
        const QString change = u"UPDATE t SET n = n + 1 WHERE id = 1"_s;
        QTest::newRow("FOR SHARE, then UPDATE: one order already")
            << row << QStringList{u"SELECT n FROM t WHERE id = 1 FOR SHARE"_s, change} << true;
        QTest::newRow("FOR NO KEY UPDATE at the first reading")
            << row << QStringList{u"SELECT n FROM t WHERE id = 1 FOR NO KEY UPDATE"_s, change} << false;
        const QString insert = u"INSERT INTO child VALUES (1, 1)"_s;
        const QString lock = u"SELECT n FROM t WHERE id = 1 FOR UPDATE"_s;
        QTest::newRow("child first, then the parent") << family << QStringList{insert, lock} << true;
        QTest::newRow("the parent FOR UPDATE first") << family << QStringList{lock, insert} << false;
    }
    /// The model of one row that both lock shows the same as the statements of such reports.
    void originalStatementsOfOneRow()
    {
        FETCH(QString, setup, QStringList, statements, bool, deadlocks);
        QJsonArray steps{QJsonObject{{u"begin"_s, true}}};
        for (const QString& statement : statements)
            steps << QJsonObject{{u"sql"_s, QJsonObject{{u"postgres"_s, statement}}}};
        steps << QJsonObject{{u"commit"_s, true}};
        const auto variant = [&steps](const QString& id, bool isUnsafe) {
            return QJsonObject{{u"id"_s, id}, {u"title"_s, id}, {u"strategy"_s, u"none"_s},
                {u"meaning"_s, u"m"_s}, {u"unsafe"_s, isUnsafe},
                {u"roles"_s, QJsonArray{QJsonObject{{u"name"_s, u"r"_s}, {u"steps"_s, steps}}}}};
        };
        const QJsonObject scenario{{u"id"_s, u"original"_s}, {u"title"_s, u"t"_s}, {u"group"_s, u"g"_s},
            {u"story"_s, QJsonArray{u"s"_s}}, {u"look_at"_s, u"l"_s},
            {u"engines"_s, QJsonArray{u"postgres"_s}},
            {u"setup"_s, QJsonObject{{u"postgres"_s, QJsonArray::fromStringList(setup.split(u"; "_s))}}},
            {u"invariant"_s, QJsonObject{{u"meaning"_s, u"m"_s}}},
            {u"rules"_s, QJsonObject{{u"no_deadlock"_s, true}}},
            {u"variants"_s, QJsonArray{variant(u"original"_s, true)}}};
        const auto read = readScenario(QJsonDocument(scenario).toJson(), u"original"_s);
        QVERIFY2(read, read ? "" : qPrintable(read.error().front().toString()));
        ExploreOrder order;
        order.steps.run.scenario = *read;
        order.steps.run.variant = u"original"_s;
        order.steps.run.sessions = 2;
        const auto report = explore(m_rig.server(), order);
        VERIFY_DONE(report);
        QVERIFY2(report->isComplete, qPrintable(report->verdict));
        QCOMPARE(report->broken > 0, deadlocks);
    }

    void modesOfTablesThatMeetAlikeAreOne_data()
    {
        QTest::addColumn<QByteArray>("report");
        QTest::addColumn<QStringList>("alike"); // modes that fit beside the one that is executed
        QTest::addColumn<int>("assumptions");
        const QByteArray alter = "ALTER TABLE a ADD x int";
        const QByteArray number = "relation 16384 of database 5";
        const QStringList shared{u"ROW SHARE"_s, u"ROW EXCLUSIVE"_s};
        QTest::newRow("two tables by their numbers") << postgresLog(
            "AccessExclusiveLock", number, "relation 16390 of database 5", alter, "ALTER TABLE b ADD x int")
                                                     << shared
                + QStringList{u"SHARE"_s, u"SHARE UPDATE EXCLUSIVE"_s, u"SHARE ROW EXCLUSIVE"_s,
                    u"EXCLUSIVE"_s, u"ACCESS EXCLUSIVE"_s}
                                                     << 1;
        // Both have it at once: only modes that let each other in.
        QTest::newRow("one table, both change its form after reading it")
            << postgresLog("AccessExclusiveLock", number, number, alter, alter)
            << shared + QStringList{u"SHARE"_s} << 1;
        QTest::newRow("one table, SHARE after changing rows")
            << postgresLog("ShareLock", number, number, "CREATE INDEX i ON a (x)", "CREATE INDEX j ON a (x)")
            << QStringList() << 1; // one mode fits: ROW EXCLUSIVE
        QTest::newRow("one table, SHARE keeps out what the other one has")
            << postgresLog("AccessExclusiveLock", number, number, alter, "CREATE INDEX i ON a (x)")
                   .replace("4712 waits for AccessExclusiveLock", "4712 waits for ShareLock")
            << QStringList() << 2;
        QTest::newRow("SQL Server, S and IX: neither contains the other") << deadlockXml(2,
            {{"objectlock", R"(objid="11" dbid="5" objectname="shop.dbo.orders")", 1, "IX", 0, "S", true},
                {"objectlock", R"(objid="12" dbid="5" objectname="shop.dbo.lines")", 0, "IX", 1, "S", true}})
                                                                          << QStringList() << 1;
    }
    /// The server does the same in all modes for which one stands.
    void modesOfTablesThatMeetAlikeAreOne()
    {
        FETCH(QByteArray, report, QStringList, alike, int, assumptions);
        const DeadlockProof proof = proved(report);
        QVERIFY2(proof.happened(), qPrintable(textOf(proof)));
        QCOMPARE(proof.assumptions, assumptions);
        for (const QString& mode : alike) {
            QByteArray text = madeOf(report).scenario->text;
            const qsizetype size = text.size();
            text.replace("IN ACCESS SHARE MODE", "IN " + mode.toUtf8() + " MODE");
            QVERIFY(text.size() != size || mode.size() == u"ACCESS SHARE"_s.size());
            const auto scenario = readScenario(text, mode);
            QVERIFY2(scenario, scenario ? "" : qPrintable(scenario.error().front().toString()));
            const auto other = prove(m_rig.server(), *scenario);
            VERIFY_DONE(other);
            QCOMPARE(textOf(*other), textOf(proof));
        }
    }

    void fewerOrdersShowTheSame_data()
    {
        QTest::addColumn<QByteArray>("report");
        const QByteArray row = "dbid=\"5\" objectname=\"shop.dbo.orders\" indexname=\"PK_orders\" hobtid=\"";
        QTest::newRow("two rows") << twoRowsXml();
        QTest::newRow("reading, then writing") << conversionXml();
        QTest::newRow("rows or one row") << transactionsLog("UPDATE a SET n = 1", "UPDATE a SET n = 1");
        QTest::newRow("application locks") << deadlockXml(2,
            {{"applicationlock", R"(hash="a1" databasePrincipalId="0" dbid="5")", 1, "X", 0, "X"},
                {"applicationlock", R"(hash="b2" databasePrincipalId="0" dbid="5")", 0, "X", 1, "X"}});
        QTest::newRow("table and row") << deadlockXml(2,
            {{"objectlock", R"(objid="11" dbid="5" objectname="shop.dbo.orders")", 1, "IX", 0, "X"},
                {"keylock", row + "2\"", 0, "X", 1, "X"}});
    }
    /// Each variant goes wrong in some order, or in none, whether all orders are executed or one of those
    /// that differ only in steps which don't meet.
    void fewerOrdersShowTheSame()
    {
        QFETCH(QByteArray, report);
        const DeadlockScenario made = madeOf(report);
        const QJsonObject root = QJsonDocument::fromJson(made.scenario->text).object();
        const std::function<QJsonValue(const QJsonValue&)> without = [&without](const QJsonValue& value) {
            if (value.isArray()) {
                QJsonArray items;
                for (const auto& each : value.toArray())
                    items << without(each);
                return QJsonValue(items);
            }
            QJsonObject object = value.toObject();
            object.remove(u"touches"_s);
            for (const QString& key : object.keys())
                if (object[key].isArray() || object[key].isObject())
                    object[key] = without(object[key]);
            return value.isObject() ? QJsonValue(object) : value;
        };
        const auto whole =
            readScenario(QJsonDocument(without(root).toObject()).toJson(), u"without touches"_s);
        QVERIFY2(whole, whole ? "" : qPrintable(whole.error().front().toString()));
        for (const Variant& variant : made.scenario->variants) {
            const auto explored = [&](const ScenarioPtr& scenario) {
                ExploreOrder order;
                order.steps.run.scenario = scenario;
                order.steps.run.variant = variant.id;
                return explore(m_rig.server(), order).value();
            };
            const ExploreReport few = explored(made.scenario);
            const ExploreReport all = explored(*whole);
            QVERIFY(few.isReduced && few.isComplete && all.isComplete);
            QCOMPARE(few.broken > 0, all.broken > 0);
            QCOMPARE(few.stuck > 0, all.stuck > 0);
            QVERIFY2(few.executed <= all.executed, qPrintable(few.verdict + all.verdict));
            qInfo("%s: %lld of %lld orders", qPrintable(variant.id), few.executed, all.executed);
        }
    }

    void threeSessionsDeadlockToo()
    {
        const QByteArray row = "dbid=\"5\" objectname=\"shop.dbo.orders\" indexname=\"PK_orders\" hobtid=\"";
        const auto made = madeOf(deadlockXml(3,
            {{"keylock", row + "1\"", 1, "X", 0, "X"}, {"keylock", row + "2\"", 2, "X", 1, "X"},
                {"keylock", row + "3\"", 0, "X", 2, "X"}}));
        QCOMPARE(made.scenario->sessions, 3);
        const auto proof = prove(m_rig.server(), made.scenario, 200);
        VERIFY_DONE(proof);
        QVERIFY2(proof->happened(), qPrintable(textOf(*proof)));
        const VariantProof* ordered = find(*proof, u"one-order"_s);
        QVERIFY(ordered);
        QCOMPARE(ordered->report.broken, 0);
    }

    void fourSessionsDeadlockToo()
    {
        std::vector<MadeLock> ring;
        for (int i = 0; i < 4; ++i)
            ring.push_back({"keylock",
                "dbid=\"5\" objectname=\"shop.dbo.orders\" indexname=\"PK_orders\" hobtid=\""
                    + QByteArray::number(i) + '"',
                i, "X", (i + 1) % 4, "X"});
        const DeadlockProof proof = proved(deadlockXml(4, ring));
        QVERIFY2(proof.happened(), qPrintable(textOf(proof)));
        const VariantProof* ordered = find(proof, u"one-order"_s);
        QVERIFY2(ordered && proof.cures(*ordered), qPrintable(textOf(proof)));
    }

    void rowVersionsHelpReadersOnly_data()
    {
        addColumns<QByteArray, bool>("report", "isOffered");
        const auto readers = [](const QByteArray& awaited) {
            return asReaders(deadlockXml(2,
                {{"keylock", R"(hobtid="1" dbid="5" objectname="shop.dbo.orders" indexname="PK_orders")", 1,
                     "X", 0, awaited},
                    {"keylock", R"(hobtid="2" dbid="5" objectname="shop.dbo.lines" indexname="PK_lines")", 0,
                        "X", 1, awaited}}));
        };
        const QByteArray read = "SET NOCOUNT ON; SELECT n FROM dbo.orders WHERE id =";
        QTest::newRow("readers") << readers("S") << true;
        QTest::newRow("ranges") << readers("RangeS-S") << false;
        QTest::newRow("serializable")
            << readers("S").replace("read committed (2)", "serializable (4)") << false;
        // The check of a foreign key locks whatever the database's setting is.
        QTest::newRow("a parametrised INSERT") << readers("S").replace(
            read, "(@P0 int,@P1 nvarchar(40))INSERT INTO dbo.lines VALUES (@P0, @P1) --")
                                               << false;
        QTest::newRow("sp_executesql of an UPDATE") << readers("S").replace(
            read, "EXEC sp_executesql N'UPDATE dbo.orders SET n = @a', N'@a int', @a =")
                                                    << false;
    }
    void rowVersionsHelpReadersOnly()
    {
        FETCH(QByteArray, report, bool, isOffered);
        QCOMPARE(madeOf(report).scenario->find(u"read-committed-version"_s) != nullptr, isOffered);
    }

    void onlyChangesThatApplyAreOffered()
    {
        const auto variantsOf = [](const QByteArray& report) {
            QStringList ids;
            const auto made = madeOf(report);
            for (const Variant& variant : made.scenario->variants)
                ids << variant.id;
            return ids;
        };
        // One row that both read: it is in one order already. Reading it for the change is another thing than
        // writing it at once.
        COMPARE_TEXTS(variantsOf(conversionXml()), "reported", "update-lock", "parent-first");
        const auto made = madeOf(conversionXml());
        QStringList labels;
        eachStep(
            *made.scenario->find(u"update-lock"_s), [&labels](const Step& step) { labels << step.label; });
        VERIFY_CONTAINS(labels.join(u'|'), u"to change it"_s);
        VERIFY_CONTAINS(labels.join(u'|'), u"|change "_s);
        COMPARE_TEXTS(variantsOf(twoRowsXml()), "reported", "one-order", "parent-first", "one-statement");
    }

    void thePageHasTheProof()
    {
        const deadlock::Deadlock deadlock = readOne(twoRowsXml());
        DeadlockProof proof;
        VariantProof reported{.variant = u"reported"_s, .title = u"As reported"_s, .isReported = true};
        reported.report.executed = 70;
        reported.report.broken = 2;
        reported.report.isComplete = true;
        VariantProof ordered{.variant = u"one-order"_s, .title = u"One order for all"_s};
        ordered.report.executed = 70;
        ordered.report.isComplete = true;
        proof.variants = {reported, ordered};
        QCOMPARE(proof.summary(),
            u"As reported: deadlocks in 2 of 70 orders. One order for all: 0 of 70 orders deadlock."_s);
        const auto section = sectionOf(deadlock, proof, u"PostgreSQL"_s);
        const QByteArray page =
            deadlock::toHtml({deadlock.report}, deadlock::Disclosure::Redacted, {section});
        QVERIFY(
            page.contains("deadlocks in 2 of 70 orders") && page.contains("cures the reproduced deadlock"));
        QVERIFY(
            page.contains("&quot;variants&quot;") && page.contains("Locks that the report does not show"));
        QVERIFY2(!page.contains("app1") && !page.contains(">ann<"), "users and hosts are left out");
        QVERIFY(page.size() < deadlock::maxPageBytes);
        // The section is left out for another deadlock.
        auto other = section;
        other.eventKey = u"other"_s;
        QVERIFY(!deadlock::toHtml({deadlock.report}, deadlock::Disclosure::Redacted, {other})
                     .contains("70 orders"));
        // If the scenario's text is too large, only it is left out.
        auto large = section;
        large.scenario = QString(deadlock::maxPageBytes, u'x');
        const QByteArray cut = deadlock::toHtml({deadlock.report}, deadlock::Disclosure::Redacted, {large});
        QVERIFY(cut.size() < deadlock::maxPageBytes && cut.contains("cures the reproduced deadlock")
            && cut.contains("is left out"));
    }

    void whatCannotBeOrderedIsRefused_data()
    {
        addColumns<QByteArray, QString>("report", "reason");
        QTest::newRow("parallel threads") << deadlockXml(2,
            {{"exchangeEvent", R"(WaitType="e_waitPipeGetRow" nodeId="1")", 1, "", 0, ""},
                {"exchangeEvent", R"(WaitType="e_waitPipeNewRow" nodeId="2")", 0, "", 1, ""}})
                                          << u"Threads of one statement"_s;
        QTest::newRow("two indexes of one table") << deadlockXml(2,
            {{"keylock", R"(hobtid="1" dbid="5" objectname="shop.dbo.orders" indexname="PK_orders")", 1, "X",
                 0, "S"},
                {"keylock", R"(hobtid="2" dbid="5" objectname="shop.dbo.orders" indexname="IX_state")", 0,
                    "S", 1, "X"}}) << u"different indexes of one table"_s;
        QTest::newRow("CREATE INDEX CONCURRENTLY") << postgresLog("ShareLock", "virtual transaction 3/12",
            "virtual transaction 4/7", "CREATE INDEX CONCURRENTLY i ON a (x)",
            "CREATE INDEX CONCURRENTLY j ON a (y)") << u"CREATE INDEX CONCURRENTLY"_s;
    }
    void whatCannotBeOrderedIsRefused()
    {
        FETCH(QByteArray, report, QString, reason);
        const auto made = deadlockScenario(readOne(report));
        VERIFY_FAILS(ErrorKind::Unsupported, made);
        VERIFY_CONTAINS(made.error().what, reason);
    }

    void whatIsNotInItIsReported()
    {
        const auto made = madeOf(deadlockXml(2,
            {{"keylock", R"(hobtid="1" dbid="5" objectname="shop.dbo.orders" indexname="PK_orders")", 1,
                 "RangeS-S", 0, "RangeI-N"},
                {"keylock", R"(hobtid="2" dbid="5" objectname="shop.dbo.orders" indexname="PK_orders")", 0,
                    "RangeS-S", 1, "RangeI-N"}}));
        const QString text = made.leftOut.join(u' ');
        VERIFY_CONTAINS(text, u"ranges"_s);
        VERIFY_CONTAINS(text, u"Statements of the report are not run"_s);
    }

    void namesOfTheReportAreOnlyShown()
    {
        const QByteArray hostile =
            R"(hobtid="1" dbid="5" objectname="t; DROP TABLE x; -- {schema} :session" indexname="&quot;i&quot;")";
        const auto made = madeOf(
            deadlockXml(2, {{"keylock", hostile, 1, "X", 0, "X"}, {"pagelock", hostile, 0, "X", 1, "X"}}));
        QVERIFY(made.scenario->title.contains(u"DROP TABLE"_s)); // as a label
        const auto checkSql = [](const SqlByEngine& sql) {
            for (const auto& [engine, text] : sql)
                VERIFY_LACKS(text.text(), u"DROP"_s);
        };
        for (const auto& [engine, script] : made.scenario->setup)
            for (const SqlTemplate& statement : script)
                VERIFY_LACKS(statement.text(), u"DROP"_s);
        for (const Variant& variant : made.scenario->variants)
            eachStep(variant, [&](const Step& step) {
                if (const auto* sql = std::get_if<SqlStep>(&step.act))
                    checkSql(sql->sql);
            });
    }

private:
    DeadlockProof proved(const QByteArray& report)
    {
        return orDie(prove(m_rig.server(), madeOf(report).scenario));
    }

    ScenarioRig m_rig;
};

LOCKSCOPE_TEST_AT_ONCE(tst_DeadlockProof)

} // namespace tst_DeadlockProof
#include "tst_DeadlockProof.moc"
