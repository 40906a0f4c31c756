// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/scenario/explore/Explore.h"
#include "tests/support/ScenarioRig.h"

namespace tst_ScenarioOrders {

using namespace lockscope;
using namespace lockscope::scenario;
using test::ScenarioRig;

/// Deadlocks that have not happened: sessions that run one after the other show the order in which they take
/// their locks.
class tst_ScenarioOrders : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_rig = std::make_unique<ScenarioRig>(); }
    void cleanupTestCase() { m_rig.reset(); }

    void shippedScenarios_data()
    {
        test::addColumns<QString, QString>("scenario", "variant");
        for (const ScenarioPtr& scenario : ScenarioRig::shipped().scenarios)
            for (const Variant& variant : scenario->variants)
                if (variant.engines.contains(Engine::Postgres))
                    QTest::newRow(qPrintable(scenario->id + u'/' + variant.id)) << scenario->id << variant.id;
    }
    void shippedScenarios()
    {
        QFETCH(QString, scenario);
        QFETCH(QString, variant);
        StepOrder order;
        order.run.scenario = ScenarioRig::shipped(scenario);
        order.run.variant = variant;
        const auto report = lockOrders(m_rig->server(), order);
        VERIFY_DONE(report);
        QVERIFY(report->schedules > 0);
        QStringList titles;
        for (const order::PotentialDeadlock& each : report->found.all)
            titles << each.title();
        // All take the same in the same order there, and two that share a row both wait for a stronger mode.
        const QStringList inOneOrder{
            u"deadlock-conversion"_s, u"deadlock-foreign-key"_s, u"deadlock-table-lock"_s};
        const bool isExpected = scenario.startsWith(u"deadlock-"_s) && !inOneOrder.contains(scenario)
            && order.run.scenario->find(variant)->isUnsafe;
        QVERIFY2(titles.isEmpty() != isExpected, qPrintable(titles.join(u'\n')));
        if (!isExpected)
            return;
        QCOMPARE(report->deadlocks, 0);
        const order::PotentialDeadlock& found = report->found.all.front();
        for (const order::Leg& leg : found.legs) {
            QVERIFY2(!leg.witness.step.isEmpty(), "the steps are the witnesses");
            QVERIFY(!leg.witness.statement.isEmpty());
            QCOMPARE(leg.witness.evidence, order::Evidence::Exact);
        }
        QVERIFY(report->verdict().startsWith(u"Potential deadlock: "_s + found.title()));
    }

    /// Two tables in both orders, and the same beneath a lock that all take first.
    void tablesAndAGate_data()
    {
        test::addRows<bool>("isGated", {{"nothing keeps them apart", false}, {"a common lock does", true}});
    }
    void tablesAndAGate()
    {
        QFETCH(bool, isGated);
        const auto role = [isGated](
                              const QByteArray& name, const QByteArray& first, const QByteArray& second) {
            const auto write = [](const QByteArray& table) {
                return "{'sql': {'postgres': 'UPDATE " + table
                    + " SET n = n + 1 WHERE id = 1'}, 'label': 'write', 'takes_lock': true},";
            };
            const QByteArray gate = isGated
                ? "{'acquire': {'kind': 'app', 'name': 'shop', 'owner': 'transaction'}, 'label': 'gate'},"
                : "";
            return "{'name': '" + name + "', 'steps': [{'begin': true}," + gate + write(first) + write(second)
                + "{'commit': true}]}";
        };
        QByteArray text =
            "{'id': 'orders-and-stock', 'title': 'Orders and stock', 'story': ['Two tables.'],'engines': ['postgres'], 'sessions': {'default': 2, 'least': 2},'setup': {'postgres': ['CREATE TABLE orders (id int PRIMARY KEY, n int)',"
            "'CREATE TABLE stock (id int PRIMARY KEY, n int)', 'INSERT INTO orders VALUES (1, 0)','INSERT INTO stock VALUES (1, 0)']},'invariant': {'meaning': 'Nobody is sacrificed.'}, 'rules': {'no_deadlock': true},'variants': [{'id': 'both', 'title': 'Both orders', 'strategy': 'none', 'unsafe': true,"
            "'meaning': 'Opposite orders.', 'roles': ["
            + role("sale", "orders", "stock") + ',' + role("delivery", "stock", "orders") + "]}]}";
        text.replace('\'', '"');
        StepOrder order;
        order.run.scenario = ScenarioRig::made(text);
        const auto report = lockOrders(m_rig->server(), order);
        VERIFY_DONE(report);
        QCOMPARE(report->deadlocks, 0);
        QCOMPARE(report->found.all.size(), isGated ? 0 : 1);
        if (isGated)
            return;
        const order::PotentialDeadlock& found = report->found.all.front();
        QCOMPARE(found.title(), u"orders and stock are taken in both orders"_s);
        QCOMPARE(found.legs[0].witness.step, u"A3"_s);
        QCOMPARE(found.legs[1].witness.step, u"B3"_s);
        QVERIFY(found.legs[0].witness.statement.startsWith(u"UPDATE stock"_s));
    }

    void anEngineThatShowsNoLocks()
    {
        StepOrder order;
        for (const ScenarioPtr& each : ScenarioRig::shipped().scenarios)
            if (each->engines.contains(Engine::Sqlite))
                order.run.scenario = each;
        QVERIFY(order.run.scenario);
        const auto report = lockOrders(m_rig->server(Engine::Sqlite), order);
        QVERIFY(report);
        QVERIFY(report->reasonAgainst.contains(u"SQLite"_s));
        QCOMPARE(report->schedules, 0);
    }

private:
    std::unique_ptr<ScenarioRig> m_rig;
};

LOCKSCOPE_TEST(tst_ScenarioOrders)

} // namespace tst_ScenarioOrders
#include "tst_ScenarioOrders.moc"
