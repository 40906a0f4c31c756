// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A proof of a deadlock must be true of the statements that made it. Their deadlock happens on a real server,
// its log is read, and changes are proven on rows and tables that stand for the reported ones. Then each
// change that is said to cure it is made to the statements themselves, of which all orders are executed.
// tests/support/deadlocks/cures.json has the statements, and how a person would change them.

#include "core/deadlock/Family.h"
#include "core/deadlock/ReadReports.h"
#include "core/scenario/deadlock/Proof.h"
#include "tests/support/DeadlockReports.h"
#include "tests/support/ScenarioRig.h"

namespace tst_DeadlockCures {

using namespace lockscope;
using namespace lockscope::scenario;

static QJsonObject data()
{
    QJsonParseError error;
    const auto document = QJsonDocument::fromJson(test::deadlockFile(u"cures.json"_s), &error);
    if (document.isNull())
        qFatal("cures.json: %s", qPrintable(error.errorString()));
    return document.object();
}

/// The statements in transactions, one session each.
static ScenarioPtr scenarioOf(const QJsonArray& sessions)
{
    QJsonArray roles;
    for (const auto& statements : sessions) {
        QJsonArray steps{QJsonObject{{u"begin"_s, true}}};
        for (const auto& statement : statements.toArray())
            steps << QJsonObject{{u"sql"_s, QJsonObject{{u"postgres"_s, statement}}}};
        steps << QJsonObject{{u"commit"_s, true}};
        QJsonObject role{{u"name"_s, u"session %1"_s.arg(roles.size() + 1)}, {u"steps"_s, steps}};
        if (roles.size() + 1 < sessions.size())
            role[u"count"_s] = 1;
        roles << role;
    }
    const int count = int(sessions.size());
    const QJsonObject variant{{u"id"_s, u"original"_s}, {u"title"_s, u"t"_s}, {u"strategy"_s, u"none"_s},
        {u"meaning"_s, u"m"_s}, {u"unsafe"_s, true}, {u"roles"_s, roles}};
    const QJsonObject scenario{{u"id"_s, u"original"_s}, {u"title"_s, u"t"_s}, {u"group"_s, u"g"_s},
        {u"story"_s, QJsonArray{u"s"_s}}, {u"look_at"_s, u"l"_s}, {u"engines"_s, QJsonArray{u"postgres"_s}},
        {u"sessions"_s, QJsonObject{{u"default"_s, count}, {u"least"_s, count}, {u"most"_s, count}}},
        {u"setup"_s, QJsonObject{{u"postgres"_s, data()[u"setup"_s]}}},
        {u"invariant"_s, QJsonObject{{u"meaning"_s, u"m"_s}}},
        {u"rules"_s, QJsonObject{{u"no_deadlock"_s, true}}}, {u"variants"_s, QJsonArray{variant}}};
    return test::ScenarioRig::made(QJsonDocument(scenario).toJson());
}

/// The same with an advisory lock that stands for the whole before all else.
static QJsonArray withParentFirst(const QJsonArray& sessions)
{
    QJsonArray changed;
    for (const auto& statements : sessions) {
        QJsonArray longer = statements.toArray();
        longer.prepend(u"SELECT pg_advisory_xact_lock(815)"_s);
        changed << longer;
    }
    return changed;
}

class tst_DeadlockCures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsSaidToCureItDoes_data()
    {
        QTest::addColumn<QJsonObject>("shape");
        for (const auto& each : data()[u"shapes"_s].toArray())
            QTest::newRow(qPrintable(each[u"name"_s].toString())) << each.toObject();
    }
    void whatIsSaidToCureItDoes()
    {
        QFETCH(QJsonObject, shape);
        const qsizetype begin = test::TestServer::shared().log().size();
        const ExploreReport original = explored(shape[u"sessions"_s].toArray());
        QVERIFY2(original.broken > 0, qPrintable(original.verdict));
        const QList<deadlock::Deadlock> deadlocks = deadlocksSince(begin);
        QVERIFY(!deadlocks.isEmpty());
        QSet<QString> checked;
        for (const deadlock::Deadlock& each : deadlocks) {
            const auto made = deadlockScenario(each);
            VERIFY_DONE(made);
            const auto proof = prove(m_rig.server(), made->scenario);
            VERIFY_DONE(proof);
            QVERIFY2(proof->happened(), qPrintable(proof->summary()));
            const QString truth = shape[u"truth"_s].toString();
            for (const VariantProof& variant : proof->variants) {
                const bool isClaimed = proof->cures(variant)
                    || (proof->conclusion(variant) == u"cures it only if %1"_s.arg(variant.assumes)
                        && (variant.assumes == truth || truth.isEmpty()));
                const QString change = variant.variant.section(assumptionMark, 0, 0);
                if (!isClaimed || checked.contains(change))
                    continue;
                checked << change;
                check(shape, variant);
                if (QTest::currentTestFailed()) {
                    qInfo("%s", qPrintable(proof->summary()));
                    return;
                }
            }
        }
        QVERIFY2(!checked.isEmpty(), "nothing was said to cure it");
    }

    void cleanupTestCase()
    {
        QVERIFY2(m_cures >= 40, qPrintable(u"only %1 cures were claimed"_s.arg(m_cures)));
        qInfo("%d cures were claimed and held", m_cures);
        QCOMPARE(m_rig.remains(), QString());
    }

private:
    ExploreReport explored(const QJsonArray& sessions)
    {
        ExploreOrder order;
        order.steps.run.scenario = scenarioOf(sessions);
        order.steps.run.variant = u"original"_s;
        // Two sessions are executed in all their orders; of three, these must do.
        order.maximum = sessions.size() == 2 ? 2'000 : 150;
        return test::orDie(explore(m_rig.server(), order));
    }

    /// Those that the server found since its log was so long: one of each kind.
    QList<deadlock::Deadlock> deadlocksSince(qsizetype begin) const
    {
        const auto reports = test::orDie(
            deadlock::readReports(test::TestServer::shared().log().mid(begin).toUtf8(), u"log"_s));
        QList<deadlock::Deadlock> found;
        QSet<QString> families;
        for (const auto& report : reports)
            for (const deadlock::Deadlock& each : deadlock::deadlocksOf(report)) {
                const QString family = deadlock::familyOf(each);
                if (!families.contains(family))
                    found << each;
                families << family;
            }
        return found;
    }

    /// The change holds for the statements themselves, too.
    void check(const QJsonObject& shape, const VariantProof& cure)
    {
        const QString change = cure.variant.section(assumptionMark, 0, 0);
        const QJsonArray statements = change == u"parent-first"
            ? withParentFirst(shape[u"sessions"_s].toArray())
            : shape[u"cures"_s].toObject()[change].toArray();
        QVERIFY2(!statements.isEmpty(), qPrintable(change + u" is said to cure it"_s));
        const ExploreReport report = explored(statements);
        QVERIFY2(report.executed > 1 || report.isComplete, qPrintable(report.verdict));
        QVERIFY2(report.broken + report.stuck == 0, qPrintable(change + u": "_s + report.verdict));
        ++m_cures;
    }

    test::ScenarioRig m_rig;
    int m_cures = 0;
};

LOCKSCOPE_TEST(tst_DeadlockCures)

} // namespace tst_DeadlockCures
#include "tst_DeadlockCures.moc"
