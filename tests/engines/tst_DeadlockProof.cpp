// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A report becomes a scenario in which the deadlock really happens, and in which executing all orders tells
// which change cures it.

#include "core/deadlock/ReadReports.h"
#include "core/scenario/deadlock/DeadlockScenario.h"
#include "core/scenario/deadlock/Proof.h"
#include "tests/support/MadeDeadlock.h"
#include "tests/support/ScenarioRig.h"
#include "tests/support/TestProgram.h"

#include <QTest>

namespace tst_DeadlockProof {

using namespace lockscope;
using namespace lockscope::scenario;
using namespace lockscope::test;
using namespace Qt::StringLiterals;

namespace {

deadlock::Deadlock readOne(const QByteArray& text)
{
    const auto reports = deadlock::readReports(text, u"made"_s);
    if (!reports || reports->size() != 1 || reports->first()->cycles.isEmpty())
        qFatal("the made report is not read: %s", text.constData());
    return {reports->first(), 0};
}

DeadlockScenario madeOf(const QByteArray& text)
{
    const auto made = deadlockScenario(readOne(text));
    if (!made)
        qFatal("%s", qPrintable(made.error().toString()));
    return *made;
}

/// Both share a row, and both want to write it.
QByteArray conversionXml()
{
    QByteArray xml = deadlockXml(2,
        {{"keylock", R"(hobtid="1" dbid="5" objectname="shop.dbo.orders" indexname="PK_orders")", 1, "S", 0,
            "X", true}});
    const QByteArray waiter = R"(<waiter id="process0" mode="X" requestType="convert"/>)";
    return xml.replace(waiter, waiter + R"(<waiter id="process1" mode="X" requestType="convert"/>)");
}

const VariantProof* find(const DeadlockProof& proof, const QString& variant)
{
    for (const VariantProof& each : proof.variants)
        if (each.variant == variant)
            return &each;
    return nullptr;
}

/// "reported: deadlocks in 6 of 20 orders; one-order: 0 of …"
QString textOf(const DeadlockProof& proof)
{
    QStringList parts;
    for (const VariantProof& each : proof.variants)
        parts << each.variant + u": "_s + each.verdict();
    return parts.join(u"; "_s);
}

} // namespace

class tst_DeadlockProof : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void reportedOrderDeadlocksAndChangesCureIt_data();
    void reportedOrderDeadlocksAndChangesCureIt();
    void threeSessionsDeadlockToo();
    void onlyChangesThatApplyAreOffered();
    void thePageHasTheProof();
    void whatCannotBeOrderedIsRefused();
    void whatIsNotInItIsTold();
    void namesOfTheReportAreOnlyTold();

private:
    ScenarioRig m_rig;
};

void tst_DeadlockProof::reportedOrderDeadlocksAndChangesCureIt_data()
{
    QTest::addColumn<QByteArray>("report");
    QTest::addColumn<QStringList>("cures");
    QTest::newRow("two rows") << twoRowsXml()
                              << QStringList{u"one-order"_s, u"parent-first"_s, u"one-statement"_s};
    QTest::newRow("reading, then writing")
        << conversionXml() << QStringList{u"update-lock"_s, u"parent-first"_s};
    QTest::newRow("reader against writer") << deadlockXml(2,
        {{"keylock", R"(hobtid="1" dbid="5" objectname="shop.dbo.orders" indexname="PK_orders")", 1, "X", 0,
             "S"},
            {"keylock", R"(hobtid="2" dbid="5" objectname="shop.dbo.lines" indexname="PK_lines")", 0, "X", 1,
                "S"}}) << QStringList{u"one-order"_s, u"read-committed-version"_s};
    QTest::newRow("application locks") << deadlockXml(2,
        {{"applicationlock", R"(hash="a1" databasePrincipalId="0" dbid="5")", 1, "X", 0, "X"},
            {"applicationlock", R"(hash="b2" databasePrincipalId="0" dbid="5")", 0, "X", 1, "X"}})
                                       << QStringList{u"one-order"_s, u"parent-first"_s};
    QTest::newRow("tables") << deadlockXml(2,
        {{"objectlock", R"(objid="11" dbid="5" objectname="shop.dbo.orders")", 1, "IX", 0, "X"},
            {"objectlock", R"(objid="12" dbid="5" objectname="shop.dbo.lines")", 0, "IX", 1, "X"}})
                            << QStringList{u"one-order"_s, u"parent-first"_s};
}

void tst_DeadlockProof::reportedOrderDeadlocksAndChangesCureIt()
{
    QFETCH(QByteArray, report);
    QFETCH(QStringList, cures);
    const auto proof = prove(m_rig.server(), madeOf(report).scenario);
    QVERIFY2(proof, qPrintable(proof ? QString() : proof.error().toString()));
    QVERIFY2(proof->happened(), qPrintable(textOf(*proof)));
    for (const QString& cure : cures) {
        const VariantProof* variant = find(*proof, cure);
        QVERIFY2(variant && proof->cures(*variant), qPrintable(cure + u" of "_s + textOf(*proof)));
        QVERIFY2(variant->report.executed > 1 || cure == u"one-statement", qPrintable(variant->verdict()));
        QVERIFY2(variant->verdict().startsWith(u"0 of "_s), qPrintable(variant->verdict()));
    }
    QCOMPARE(m_rig.remains(), QString());
}

void tst_DeadlockProof::threeSessionsDeadlockToo()
{
    const QByteArray row = R"(dbid="5" objectname="shop.dbo.orders" indexname="PK_orders" hobtid=")";
    const auto made = madeOf(deadlockXml(3,
        {{"keylock", row + "1\"", 1, "X", 0, "X"}, {"keylock", row + "2\"", 2, "X", 1, "X"},
            {"keylock", row + "3\"", 0, "X", 2, "X"}}));
    QCOMPARE(made.scenario->sessions, 3);
    const auto proof = prove(m_rig.server(), made.scenario, 200);
    QVERIFY2(proof, qPrintable(proof ? QString() : proof.error().toString()));
    QVERIFY2(proof->happened(), qPrintable(textOf(*proof)));
    const VariantProof* ordered = find(*proof, u"one-order"_s);
    QVERIFY(ordered);
    QCOMPARE(ordered->report.broken, 0);
}

void tst_DeadlockProof::onlyChangesThatApplyAreOffered()
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
    QCOMPARE(variantsOf(conversionXml()), (QStringList{u"reported"_s, u"update-lock"_s, u"parent-first"_s}));
    const auto made = madeOf(conversionXml());
    QStringList labels;
    eachStep(*made.scenario->find(u"update-lock"_s), [&labels](const Step& step) { labels << step.label; });
    QVERIFY2(labels.join(u'|').contains(u"to change it"_s), qPrintable(labels.join(u'|')));
    QVERIFY2(labels.join(u'|').contains(u"change row"_s) || labels.join(u'|').contains(u"change key"_s),
        qPrintable(labels.join(u'|')));
    QCOMPARE(variantsOf(twoRowsXml()),
        (QStringList{u"reported"_s, u"one-order"_s, u"parent-first"_s, u"one-statement"_s}));
}

void tst_DeadlockProof::thePageHasTheProof()
{
    const deadlock::Deadlock deadlock = readOne(twoRowsXml());
    DeadlockProof proof;
    VariantProof reported{u"reported"_s, u"As reported"_s, true, {}};
    reported.report.executed = 70;
    reported.report.broken = 2;
    reported.report.isComplete = true;
    VariantProof ordered{u"one-order"_s, u"One order for all"_s, false, {}};
    ordered.report.executed = 70;
    ordered.report.isComplete = true;
    proof.variants = {reported, ordered};
    QCOMPARE(proof.summary(),
        u"As reported: deadlocks in 2 of 70 orders. One order for all: 0 of 70 orders deadlock."_s);
    const auto section = sectionOf(deadlock, proof, u"PostgreSQL"_s);
    const QByteArray page = deadlock::toHtml({deadlock.report}, deadlock::Disclosure::Redacted, {section});
    QVERIFY(page.contains("deadlocks in 2 of 70 orders") && page.contains("cures it"));
    QVERIFY(page.contains("&quot;variants&quot;") && page.contains("Locks that the report does not show"));
    QVERIFY2(!page.contains("app1") && !page.contains(">ann<"), "users and hosts are left out");
    QVERIFY(page.size() < deadlock::mostPageBytes);
    // Of another deadlock it is not told.
    auto other = section;
    other.eventKey = u"other"_s;
    QVERIFY(
        !deadlock::toHtml({deadlock.report}, deadlock::Disclosure::Redacted, {other}).contains("70 orders"));
    // Where the scenario's text has no room, all else stays.
    auto large = section;
    large.scenario = QString(deadlock::mostPageBytes, u'x');
    const QByteArray cut = deadlock::toHtml({deadlock.report}, deadlock::Disclosure::Redacted, {large});
    QVERIFY(cut.size() < deadlock::mostPageBytes && cut.contains("cures it") && cut.contains("is left out"));
}

void tst_DeadlockProof::whatCannotBeOrderedIsRefused()
{
    const auto made = deadlockScenario(readOne(deadlockXml(2,
        {{"exchangeEvent", R"(WaitType="e_waitPipeGetRow" nodeId="1")", 1, "", 0, ""},
            {"exchangeEvent", R"(WaitType="e_waitPipeNewRow" nodeId="2")", 0, "", 1, ""}})));
    QVERIFY(!made);
    QCOMPARE(made.error().kind, ErrorKind::Unsupported);
}

void tst_DeadlockProof::whatIsNotInItIsTold()
{
    const auto made = madeOf(deadlockXml(2,
        {{"keylock", R"(hobtid="1" dbid="5" objectname="shop.dbo.orders" indexname="PK_orders")", 1,
             "RangeS-S", 0, "RangeI-N"},
            {"keylock", R"(hobtid="2" dbid="5" objectname="shop.dbo.orders" indexname="PK_orders")", 0,
                "RangeS-S", 1, "RangeI-N"}}));
    const QString told = made.leftOut.join(u' ');
    QVERIFY2(told.contains(u"ranges"_s), qPrintable(told));
    QVERIFY2(told.contains(u"Statements of the report are not run"_s), qPrintable(told));
}

void tst_DeadlockProof::namesOfTheReportAreOnlyTold()
{
    const QByteArray hostile =
        R"(hobtid="1" dbid="5" objectname="t; DROP TABLE x; -- {schema} :session" indexname="&quot;i&quot;")";
    const auto made =
        madeOf(deadlockXml(2, {{"keylock", hostile, 1, "X", 0, "X"}, {"pagelock", hostile, 0, "X", 1, "X"}}));
    QVERIFY(made.scenario->title.contains(u"DROP TABLE"_s)); // as a label
    const auto checkSql = [](const SqlByEngine& sql) {
        for (const auto& [engine, text] : sql)
            QVERIFY2(!text.text().contains(u"DROP"_s), qPrintable(text.text()));
    };
    for (const auto& [engine, script] : made.scenario->setup)
        for (const SqlTemplate& statement : script)
            QVERIFY2(!statement.text().contains(u"DROP"_s), qPrintable(statement.text()));
    for (const Variant& variant : made.scenario->variants)
        eachStep(variant, [&](const Step& step) {
            if (const auto* sql = std::get_if<SqlStep>(&step.act))
                checkSql(sql->sql);
        });
}

LOCKSCOPE_TEST(tst_DeadlockProof)

} // namespace tst_DeadlockProof
#include "tst_DeadlockProof.moc"
