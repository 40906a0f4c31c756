// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/OwnClock.h"
#include "core/watch/IncidentKeeper.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TestProgram.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace tst_IncidentKeeper {

using namespace lockscope;
using namespace lockscope::alert;
using namespace lockscope::watch;
using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using test::SnapshotBuilder;

namespace {

const char* const usualRules =
    "{'rules': ["
    "{'name': 'blocked sessions', 'when': 'blocked sessions', 'keep_firing_for': '4s', 'channels': ['one'], "
    "'levels': "
    "[{'severity': 'warning', 'from': 2}, {'severity': 'critical', 'from': 4}]},"
    "{'name': 'long wait', 'when': 'long wait', 'keep_firing_for': '4s', 'channels': ['two'], 'levels': "
    "[{'severity': 'warning', 'from': '20s'}]},"
    "{'name': 'waited time', 'when': 'waited time', 'on': false, 'levels': [{'severity': 'warning', 'from': "
    "1}]},"
    "{'name': 'idle head blocker', 'when': 'idle head blocker', 'on': false, 'levels': [{'severity': "
    "'warning', 'from': '1s'}]}],"
    "'channels': [{'name': 'one', 'kind': 'journal'}, {'name': 'two', 'kind': 'journal'}]}";

} // namespace

/// What is told of incidents, when a store, rules and other programs do what they like.
class tst_IncidentKeeper : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_second = 0;
        m_told.clear();
        writeRules(usualRules);
        m_keeper = keeper(u"shop"_s);
    }

    void itsEndIsToldIfItsBeginningWas()
    {
        poll(3);
        QCOMPARE(told(), QStringList(u"fired one"_s));
        Mute mute;
        mute.of = Mute::Of::Program;
        mute.value = u"billing"_s;
        mute.end = Mute::End::Never;
        mute.made = ownClock();
        QVERIFY(store()->mute(mute));
        poll(5); // it gets worse, and nobody is told
        poll(0, 4);
        QCOMPARE(told(), (QStringList{u"fired one"_s, u"resolved one"_s}));
    }

    void aRuleThatJoinsTellsItsOwnChannel()
    {
        poll(3);
        poll(3, 1, 30);
        QCOMPARE(told(), (QStringList{u"fired one"_s, u"fired two"_s}));
        poll(0, 4);
        QCOMPARE(told().mid(2), (QStringList{u"resolved one"_s, u"resolved two"_s}));
    }

    void twoProgramsTellOfAnEscalationOnce()
    {
        auto other = keeper(u"shop"_s);
        poll(3);
        take(*other, snapshot(3));
        poll(5);
        take(*other, snapshot(5));
        QCOMPARE(told(), (QStringList{u"fired one"_s, u"escalated one"_s}));
        const auto steps = store()->steps(store()->firing()->first().id);
        QCOMPARE(steps->size(), 2);
    }

    /// The other sees the same chain, but not what the locks are called.
    void theWatchOfAnotherDatabaseLeavesItAlone()
    {
        poll(3);
        auto other = keeper(u"stock"_s);
        for (int i = 0; i < 6; ++i)
            take(*other, snapshot(3, 5, "(not known)"));
        QCOMPARE(store()->firing()->size(), 1);
        for (int i = 0; i < 6; ++i)
            take(*other, snapshot(0));
        QCOMPARE(store()->firing()->size(), 1);
        QCOMPARE(told(), QStringList(u"fired one"_s));
    }

    /// As long as nobody knows the rules, nobody knows whether it goes on.
    void aRulesFileThatCannotBeReadResolvesNothing()
    {
        writeRules(
            QByteArray(usualRules).replace("'name': 'blocked sessions'", "'name': 'ours'").constData());
        m_keeper = keeper(u"shop"_s);
        poll(3, 1, 5);
        QVERIFY(store()->firing()->first().rules().contains(u"ours"_s));
        const qint64 id = store()->firing()->first().id;
        writeRules("{");
        m_keeper = keeper(u"shop"_s);
        poll(0, 6);
        const auto firing = store()->firing();
        QVERIFY(std::ranges::any_of(*firing, [id](const Incident& each) { return each.id == id; }));
    }

    void aNameIsNoPattern()
    {
        Mute mute;
        mute.of = Mute::Of::Program;
        mute.value = u"*"_s; // somebody has called his program that
        mute.end = Mute::End::Never;
        mute.made = ownClock();
        QVERIFY(store()->mute(mute));
        poll(3);
        QCOMPARE(told(), QStringList(u"fired one"_s));
    }

    void aDatabaseIsTheLastPartOfAPlace()
    {
        QCOMPARE(causeDatabase(u"postgres://db1:5432/shop?primary"_s), u"shop"_s);
        QCOMPARE(causeDatabase(u"postgres:///tmp/socket:5432/shop"_s), u"shop"_s);
        QCOMPARE(causeServer(u"postgres:///tmp/socket:5432/shop"_s), u"/tmp/socket:5432"_s);
        QCOMPARE(causeDatabase(u"sqlite:/srv/locks.db"_s), QString());
    }

private:
    IncidentOptions options() const
    {
        return {m_folder->filePath(u"incidents.sqlite"_s), m_folder->filePath(u"alerts.json"_s)};
    }
    std::unique_ptr<IncidentKeeper> keeper(const QString& database) const
    {
        return std::make_unique<IncidentKeeper>(
            u"db1:5432"_s, database, u"postgresql://ann@db1/shop"_s, options());
    }
    std::unique_ptr<IncidentStore> store() const { return std::move(*IncidentStore::open(options().store)); }

    void writeRules(const char* rules)
    {
        QFile file(options().rules);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(rules).replace('\'', '"'));
    }

    SnapshotPtr snapshot(int waiting, int waited = 5, const char* table = "public.orders")
    {
        m_second += 2;
        SnapshotBuilder s(m_second);
        s.session(51, "billing").idleInTransaction(m_second + 60);
        s.holds(51, table, "AccessExclusiveLock", m_second + 60);
        for (int i = 0; i < waiting; ++i) {
            s.session(100 + i, "report");
            s.waits(100 + i, table, "AccessShareLock", waited);
        }
        return s.take();
    }

    static void take(IncidentKeeper& keeper, const SnapshotPtr& snapshot)
    {
        Observation seen;
        seen.at = snapshot->takenAt;
        seen.snapshot = snapshot;
        const auto outcome = keeper.take(seen);
        if (outcome.storeError)
            QFAIL(qPrintable(outcome.storeError->toString()));
    }
    void poll(int waiting, int times = 1, int waited = 5)
    {
        for (int i = 0; i < times; ++i)
            take(*m_keeper, snapshot(waiting, waited));
    }

    /// "fired one": the notices that were queued, in their order, each with its channel.
    QStringList told()
    {
        QList<QueuedNotice> came;
        for (const QString& channel : {u"one"_s, u"two"_s}) {
            const auto taken = store()->take(channel, u"test"_s, ownClock(), ownClock() + 60s, 99);
            came << *taken;
            if (!taken->isEmpty())
                static_cast<void>(store()->sent(*taken));
        }
        std::ranges::sort(came, {}, &QueuedNotice::number);
        for (const QueuedNotice& each : came)
            m_told << noticeKindName(each.notice.kind) + u' ' + each.channel;
        return m_told;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<IncidentKeeper> m_keeper;
    QStringList m_told;
    int m_second = 0;
};

LOCKSCOPE_TEST(tst_IncidentKeeper)

} // namespace tst_IncidentKeeper
#include "tst_IncidentKeeper.moc"
