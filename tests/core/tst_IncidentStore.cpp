// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/base/ServerTime.h"
#include "core/record/Database.h"
#include "core/watch/AlertTables.h"
#include "core/watch/IncidentStore.h"
#include "tests/support/TestProgram.h"

namespace tst_IncidentStore {

using namespace lockscope;
using namespace lockscope::alert;
using namespace lockscope::watch;

static Incident incidentOf(const QString& program, int waiting = 4)
{
    Incident incident;
    incident.cause = {
        u"chain"_s, u"db1:5432"_s, u"shop"_s, u"ann"_s, program, u"app01"_s, u"public.orders"_s};
    incident.since = incident.fired = incident.seen = ownClock();
    incident.waiting = incident.worstWaiting = waiting;
    incident.longestWait = 41s;
    incident.title = u"4 sessions wait for 51 %1."_s.arg(program);
    incident.chain = {u"51 billing"_s, u"  63 report"_s};
    incident.head = {SessionId{51}, ownClock(), ownClock(), u"51 billing"_s, u"idle in transaction"_s,
        u"UPDATE x"_s, u"End it."_s};
    incident.symptoms = {{u"blocked sessions"_s, Severity::Warning, true, 4, true, incident.since,
        u"4 sessions are blocked."_s}};
    return incident;
}

static QList<QueuedNotice> noticeOf(const Incident& incident, Notice::Kind kind = Notice::Kind::Fired)
{
    QueuedNotice queued;
    queued.channel = u"pager"_s;
    queued.notice = {{}, kind, u"postgresql://ann@db1/shop"_s, incident, u"Look."_s, {}};
    return {queued};
}

class tst_IncidentStore : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_store = open();
        m_other = open();
    }
    void cleanup()
    {
        m_store.reset();
        m_other.reset();
    }

    void anIncidentIsReadAsItWasWritten()
    {
        Incident incident = incidentOf(u"billing"_s);
        incident.id = m_store->fire(incident, {}, u"Fired."_s)->id;
        QCOMPARE(m_other->firing()->first(), incident);
        QCOMPARE(m_other->steps(incident.id)->first().what, u"Fired."_s);
        QVERIFY(m_other->firing(u"db2:5432"_s)->isEmpty());
    }

    /// Two programs that watch the same server see the same cause.
    void twoThatSeeTheSameMakeOneIncidentAndOneNotice()
    {
        const Incident incident = incidentOf(u"billing"_s);
        const auto first = m_store->fire(incident, noticeOf(incident), u"Fired."_s);
        const auto second = m_other->fire(incident, noticeOf(incident), u"Fired."_s);
        QVERIFY(first->isNew);
        QVERIFY(!second->isNew);
        QCOMPARE(second->id, first->id);
        QCOMPARE(m_store->firing()->size(), 1);
        QCOMPARE(m_store->queue()->first().waiting, 1);
    }

    void onlyTheFirstToEndItTellsOfThat()
    {
        Incident incident = incidentOf(u"billing"_s);
        incident.id = m_store->fire(incident, {}, {})->id;
        incident.state = Incident::State::Resolved;
        incident.resolved = ownClock();
        QCOMPARE(
            m_store->resolve(incident, noticeOf(incident, Notice::Kind::Resolved), u"Over."_s).value(), true);
        QCOMPARE(m_other->resolve(incident, noticeOf(incident, Notice::Kind::Resolved), u"Over."_s).value(),
            false);
        QCOMPARE(m_store->queue()->first().waiting, 1);
        QVERIFY(m_store->firing()->isEmpty());
        QCOMPARE(m_store->list({})->all.first().state, Incident::State::Resolved);
        // The same cause comes back: that is another incident, and the first one is of its past.
        const auto again = m_other->fire(incidentOf(u"billing"_s), {}, {});
        QVERIFY(again->isNew && again->id != incident.id);
        QCOMPARE(m_other->similar(*m_other->incident(again->id).value(), 5)->first().id, incident.id);
    }

    /// However long before it has fired.
    void theListHasWhatFiresAndWhatEndedSince()
    {
        const auto fire = [this](const QString& program, Severity severity = Severity::Warning) {
            Incident incident = incidentOf(program);
            incident.severity = severity;
            return m_store->fire(incident, {}, {})->id;
        };
        const auto end = [this](qint64 id) {
            Incident incident = m_store->incident(id)->value();
            incident.state = Incident::State::Resolved;
            incident.resolved = ownClock() - 24h * 9; // by a server's clock that is wrong
            return m_store->resolve(incident, {}, {}).value();
        };
        const auto idsSince = [this](ServerTime from) {
            QList<qint64> ids;
            const auto list = m_other->list(from).value();
            for (const Incident& each : list.all)
                ids << each.id;
            return ids;
        };
        const qint64 first = fire(u"a"_s);
        const qint64 second = fire(u"b"_s);
        const qint64 critical = fire(u"c"_s, Severity::Critical);
        const qint64 warning = fire(u"d"_s);
        QVERIFY(end(second));
        QTest::qSleep(2);
        const ServerTime from = ownClock();
        QVERIFY(end(first));
        QCOMPARE(idsSince({}), (QList<qint64>{critical, warning, first, second}));
        QCOMPARE(idsSince(from), (QList<qint64>{critical, warning, first}));
        QCOMPARE(idsSince(from + 60s), (QList<qint64>{critical, warning}));
        QCOMPARE(leftOutText(*m_other->list({})), QString());
        QCOMPARE(leftOutText({.all = {}, .leftOut = 1'002}),
            u"only the latest 1,000 that are over, without 1,002 earlier ones"_s);
    }

    void noticesOfAChannelKeepTheirOrder()
    {
        for (const char16_t* program : {u"a", u"b", u"c"}) {
            const Incident incident = incidentOf(QString::fromUtf16(program));
            QVERIFY(m_store->fire(incident, noticeOf(incident), {}));
        }
        const ServerTime now = ownClock();
        const auto first = m_store->take(pager, u"one"_s, now, now + 60s, 1);
        QCOMPARE(first->size(), 1);
        QVERIFY(!first->first().notice.key.isEmpty());
        // The next message waits for it, also in another program.
        QVERIFY(m_other->take(pager, u"two"_s, now, now + 60s, 9)->isEmpty());
        QVERIFY(m_store->failed(first->first().number, now + 10s, u"refused"_s));
        QVERIFY(m_other->take(pager, u"two"_s, now + 9s, now + 60s, 9)->isEmpty());
        QVERIFY(m_store->queue()->first().failingSince.isValid());
        const auto again = m_other->take(pager, u"two"_s, now + 11s, now + 60s, 9);
        QCOMPARE(again->size(), 1); // it was a message by itself
        QCOMPARE(again->first().notice, first->first().notice);
        QCOMPARE(again->first().attempts, 1);
        QVERIFY(m_other->sent(*again));
        QVERIFY(!m_store->queue()->first().failingSince.isValid());
        QCOMPARE(m_other->take(pager, u"two"_s, now + 12s, now + 60s, 9)->size(), 2);
        QCOMPARE(m_store->queue()->first().waiting, 2);
    }

    /// After a mute it is sent again: its receivers must not take it for the first notice sent twice.
    void firedAgainHasAnotherKeyAndOneForAllChannels()
    {
        Incident incident = incidentOf(u"billing"_s);
        QList<QueuedNotice> both = noticeOf(incident) + noticeOf(incident);
        both.last().channel = u"mail"_s;
        incident.id = m_store->fire(incident, both, {})->id;
        QVERIFY(m_store->change(incident, noticeOf(incident), {}));
        const auto first = m_store->take(pager, u"one"_s, ownClock(), ownClock() + 60s, 9);
        const auto mailed = m_store->take(u"mail"_s, u"one"_s, ownClock(), ownClock() + 60s, 9);
        QCOMPARE(first->size(), 2);
        QCOMPARE(mailed->first().notice.key, first->first().notice.key);
        QVERIFY(first->last().notice.key != first->first().notice.key);
    }

    /// A program that died while it sent a message gives it up in time. The message keeps its key, because
    /// its receiver may know it.
    void aMessageThatMayHaveArrivedIsTheSameAgain()
    {
        const Incident incident = incidentOf(u"billing"_s);
        QList<QueuedNotice> notices;
        for (int i = 0; i < 9; ++i) {
            notices << noticeOf(incident);
            notices.last().notice.key = QString::number(i);
        }
        QVERIFY(m_store->fire(incident, notices.first(7), {}));
        const ServerTime now = ownClock();
        QCOMPARE(m_store->take(pager, u"one"_s, now, now + 60s, 100)->size(), 7);
        QVERIFY(m_other->fire(incidentOf(u"other"_s), notices.last(2), {}));
        QVERIFY(m_other->take(pager, u"two"_s, now + 59s, now + 90s, 100)->isEmpty());
        const auto again = m_other->take(pager, u"two"_s, now + 61s, now + 90s, 100);
        QCOMPARE(again->size(), 7);
        // Given up by itself: at once, and again the same.
        QVERIFY(m_other->release(again->first().number));
        const auto third = m_store->take(pager, u"one"_s, now + 62s, now + 90s, 100);
        QCOMPARE(third->size(), 7);
        QVERIFY(m_store->sent(*third));
        QCOMPARE(m_store->take(pager, u"one"_s, now + 62s, now + 90s, 100)->size(), 2);
    }

    void aRefusedNoticeIsAStepOfItsIncident()
    {
        const Incident incident = incidentOf(u"billing"_s);
        const qint64 id = m_store->fire(incident, noticeOf(incident), u"Fired."_s)->id;
        const auto taken = m_store->take(pager, u"one"_s, ownClock(), ownClock() + 60s, 9);
        QVERIFY(m_store->refused(*taken, u"The pager refuses it."_s, u"Status 400."_s));
        QCOMPARE(m_store->steps(id)->last().what, u"The pager refuses it."_s);
        const IncidentStore::QueueState state = m_store->queue()->first();
        QCOMPARE(state.waiting, 0);
        QCOMPARE(state.dropped, 1);
        QVERIFY(state.failingSince.isValid());
        QVERIFY(!state.lastSent.isValid());
    }

    void aClockThatIsSetBackHoldsUpNothing()
    {
        const Incident incident = incidentOf(u"billing"_s);
        QVERIFY(m_store->fire(incident, noticeOf(incident), {}));
        const ServerTime now = ownClock();
        const auto taken = m_store->take(pager, u"one"_s, now, now + 60s, 9);
        QVERIFY(m_store->failed(taken->first().number, now + 300s, u"away"_s));
        QVERIFY(m_store->take(pager, u"one"_s, now, now + 60s, 9)->isEmpty());
        QCOMPARE(m_store->take(pager, u"one"_s, now - 24h, now - 24h + 60s, 9)->size(), 1);
    }

    void aFullQueueDropsTheOldestAndCountsIt()
    {
        QList<QueuedNotice> many;
        const Incident incident = incidentOf(u"billing"_s);
        for (int i = 0; i < IncidentStore::maxQueued + 5; ++i) {
            many << noticeOf(incident);
            many.last().notice.key = QString::number(i);
        }
        QVERIFY(m_store->fire(incident, many, {}));
        QCOMPARE(m_store->queue()->first().waiting, IncidentStore::maxQueued);
        QCOMPARE(m_store->queue()->first().dropped, 5);
        QCOMPARE(m_store->take(pager, u"one"_s, ownClock(), ownClock() + 60s, 1)->first().notice.key, u"5"_s);
    }

    void mutesEndAtTheirTimeAndAreListedForAWeek()
    {
        const ServerTime now = ownClock() - 3601s; // it is over by now
        Mute mute;
        mute.of = Mute::Of::Program;
        mute.value = mute.shown = u"billing"_s;
        mute.until = now + 3600s;
        mute.maxWaiting = 100;
        mute.maxWait = 90s;
        mute.made = now;
        mute.by = u"ann"_s;
        mute = *m_store->mute(mute);
        QCOMPARE(m_other->mutes(now)->first(), mute);
        const auto ended = m_other->mutes(now + 3601s);
        QCOMPARE(ended->first().ended, now + 3600s);
        QCOMPARE(ended->first().endedWhy, u"its time was over"_s);
        QVERIFY(!m_other->unmute(mute.id, u"by ann"_s));
        QVERIFY(m_store->mutes(now + 3600s + 24h * 7 + 1s)->isEmpty());
    }

    void whoShowsItLearnsOfEachChange()
    {
        const qint64 before = m_other->version().value();
        QCOMPARE(m_other->version().value(), before);
        QVERIFY(m_store->fire(incidentOf(u"billing"_s), {}, {}));
        const qint64 after = m_other->version().value();
        QVERIFY(after != before);
        QVERIFY(m_other->acknowledge(m_other->firing()->first().id, u"ann"_s, u"deploying"_s));
        QVERIFY(m_other->version().value() != after);
        QCOMPARE(m_store->firing()->first().acknowledgedBy, u"ann"_s);
        QVERIFY(!m_other->acknowledge(99, u"ann"_s, {}));
    }

    /// A command that lists incidents must not make the file, nor end mutes in it.
    void readingMakesAndWritesNoFile()
    {
        const QString folder = m_folder->filePath(u"none"_s);
        const auto none = test::orDie(IncidentStore::openToRead(folder + u"/incidents.sqlite"_s));
        QVERIFY(none->firing()->isEmpty() && none->list({})->all.isEmpty());
        QVERIFY(none->mutes(ownClock())->isEmpty() && !none->incident(1)->has_value());
        QVERIFY(!QFileInfo::exists(folder));

        Incident incident = incidentOf(u"billing"_s);
        incident.id = m_store->fire(incident, {}, u"Fired."_s)->id;
        Mute mute;
        mute.until = ownClock();
        QVERIFY(m_store->mute(mute));
        const QByteArray before = test::readFile(path());
        const auto reader = test::orDie(IncidentStore::openToRead(path()));
        QCOMPARE(*reader->firing(), QList<Incident>{incident});
        QCOMPARE(reader->list({})->all, QList<Incident>{incident});
        QCOMPARE(reader->incident(incident.id)->value(), incident);
        QCOMPARE(reader->mutes(ownClock())->first().endedWhy, u"its time was over"_s);
        QCOMPARE(test::readFile(path()), before);
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList{u"incidents.sqlite"_s});
    }

    /// What was half written must be taken back first, which only a program that may write does.
    void whatACrashLeftIsNotReadAsItStands()
    {
        QVERIFY(m_store->fire(incidentOf(u"billing"_s), {}, {}));
        const auto crashing = test::orDie(record::Database::open(path(), record::Database::Mode::Write));
        QVERIFY(crashing->script("PRAGMA synchronous = OFF; BEGIN; UPDATE incident SET is_firing = 0"));
        const QString copy = m_folder->filePath(u"copy.sqlite"_s);
        QVERIFY(QFile::copy(path(), copy) && QFile::copy(path() + u"-journal"_s, copy + u"-journal"_s));
        const auto read = record::Database::open(copy, record::Database::Mode::Read);
        QVERIFY(!read);
        VERIFY_CONTAINS(read.error().hint, u"repairs it"_s);
        QCOMPARE(test::orDie(IncidentStore::openToRead(copy))->firing()->size(), 1);
    }

    /// Else nothing would fire where nobody could look.
    void aStoreThatCannotBeReachedIsNotEmpty()
    {
        const QString file = test::makeFile(m_folder->filePath(u"notes"_s), "");
        QVERIFY(!IncidentStore::openToRead(file + u"/incidents.sqlite"_s));
        const QString link = m_folder->filePath(u"link.sqlite"_s);
        QVERIFY(QFile::link(m_folder->filePath(u"nowhere"_s), link));
        QVERIFY(!IncidentStore::openToRead(link));
        QVERIFY(QFile::setPermissions(path(), QFile::ReadOwner | QFile::WriteOwner | QFile::WriteOther));
        QVERIFY(!IncidentStore::openToRead(path()));
    }

    void anotherFileOrVersionIsLeftAlone()
    {
        const QString other = test::makeFile(m_folder->filePath(u"notes.sqlite"_s),
            "not a database, but long enough to be looked at as one; see what comes of it");
        QVERIFY(!IncidentStore::open(other).has_value());
    }

private:
    std::unique_ptr<IncidentStore> open() { return test::orDie(IncidentStore::open(path())); }
    QString path() const { return m_folder->filePath(u"incidents.sqlite"_s); }

    const QString pager = u"pager"_s;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<IncidentStore> m_store;
    std::unique_ptr<IncidentStore> m_other; ///< of another program
};

LOCKSCOPE_TEST(tst_IncidentStore)

} // namespace tst_IncidentStore
#include "tst_IncidentStore.moc"
