// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/ServerAdmin.h"
#include "core/db/Server.h"
#include "core/frameworks/TableSearch.h"
#include "tests/support/FrameworkRows.h"
#include "tests/support/TestProgram.h"
#include "tests/support/WireSuite.h"
#include "tests/support/tds/AdminAnswers.h"
#include "tests/support/tds/MonitorAnswers.h"

namespace tst_ServerAdminSqlServer {

using namespace lockscope;
using namespace lockscope::admin;
using namespace lockscope::test::tds;
using lockscope::test::WireSuiteByBoth;

const QString unitOfWork = u"D5499C66-E398-45CA-BF7E-DC9C194B48CF"_s;

/// An administrator on a double with one other session, 63.
struct Bench {
    TdsServer server;
    AdminAnswers acts{server};
    MonitorAnswers answers{server};
    db::ServerProfile profile;
    std::unique_ptr<db::Connection> connection;
    std::unique_ptr<ServerAdmin> admin;

    explicit Bench(const QList<db::AttachedTable>& attached = {}, bool readOnly = false)
    {
        profile.url = urlOf(server);
        profile.attached = attached;
        profile.readOnly = readOnly;
        acts.change([](AdminAnswers::State& state) {
            state.sessions.add({63, loginOf63, true, u"bob"_s, u"app02"_s, u"shop"_s, u"orders"_s, 4'711});
        });
        connection = test::orDie(db::Server::at(profile.url, [this](const QString&) -> Result<QString> {
            return passwordOf(server);
        }).connect(db::Purpose::Admin));
        admin = std::make_unique<ServerAdmin>(*connection, profile);
    }

    lockscope::Session shown() const
    {
        lockscope::Session session;
        session.id = {63};
        session.started = {loginOf63};
        session.user = u"bob"_s;
        session.program = u"shop"_s;
        session.state = SessionState::IdleInTransaction;
        session.statement = u"UPDATE orders SET note = N'a'"_s;
        return session;
    }

    lockscope::Session orphan() const
    {
        lockscope::Session session;
        session.id = {-123'456};
        session.unitOfWork = unitOfWork;
        return session;
    }

    void put(const QString& name, const QString& token, std::chrono::seconds left)
    {
        const qint64 now = QDateTime::currentMSecsSinceEpoch() * 1'000;
        acts.change([&](AdminAnswers::State& state) {
            state.table.put({name, token, 7, now - 1'000'000, now + std::chrono::microseconds(left).count(),
                {u"ann"_s, u"app01"_s, u"job"_s, 1, 51}});
        });
    }

    QStringList outcomes()
    {
        QStringList texts = test::textsOf(acts.audit(), &AdminAnswers::Audit::outcome);
        return texts;
    }

    static constexpr qint64 loginOf63 = 1'799'999'000'123'333;
};

/// Returns the row as the monitor shows it, long stale.
static LockTableEntry attachedRow(const db::AttachedTable& table, const QString& name, const QString& time)
{
    const FrameworkPtr framework = frameworks::ofAttached(table);
    auto source = std::make_shared<LockRowTable>();
    *source = {table.schema, table.table, {{u"Name"_s, u"nvarchar"_s}, {u"SetTime"_s, u"datetime"_s}}};
    LockTableEntry entry;
    entry.table = table.display();
    entry.name = name;
    entry.framework = lockscope::test::matchOf(framework->locks.front(), u"Attached"_s);
    entry.stored = {name, time};
    entry.source = source;
    entry.expiresAt = ServerTime{1'000'000};
    return entry;
}

/// The table dbo.Locks of a framework, and its row 1 as it is shown.
struct FrameworkLocks {
    Bench& bench;
    LockTableEntry shown = rowOne();

    static LockTableEntry rowOne()
    {
        LockTableEntry entry;
        entry.table = u"dbo.Locks"_s;
        entry.name = u"turn"_s;
        entry.stored = {u"1"_s, u"app01"_s, u"7"_s};
        auto table = std::make_shared<LockRowTable>();
        *table = {u"dbo"_s, u"Locks"_s,
            {{u"Id"_s, u"int"_s}, {u"Held"_s, u"bit"_s}, {u"Holder"_s, u"nvarchar"_s},
                {u"Revision"_s, u"int"_s}}};
        entry.source = table;
        entry.framework =
            lockscope::test::matchOf(lockscope::test::rowLock({u"id"_s, u"holder"_s, u"revision"_s},
                {{u"held"_s, false}, {u"holder"_s, std::monostate()}, {u"revision"_s, u"{revision}+1"_s}}));
        return entry;
    }
    /// Makes the table again, with rows that app01 holds.
    void put(std::initializer_list<int> ids, const QStringList& triggers = {}) const
    {
        bench.acts.change([&](AdminAnswers::State& state) {
            tsql::UserTable locks(
                u"CREATE TABLE dbo.Locks (Id int, Held bit, Holder nvarchar(64), Revision int)"_s);
            for (const int id : ids)
                locks.rows << u"INSERT INTO dbo.Locks VALUES (%1, 1, 'app01', 7)"_s.arg(id);
            state.tables.make(locks);
            state.strangersTriggers = triggers;
        });
    }
    auto release() const { return bench.admin->releaseEntry(shown, u"stuck"_s); }
    QStringList rows() const
    {
        QStringList all;
        bench.acts.change([&all](AdminAnswers::State& state) {
            for (const Values& row : state.tables.query(u"SELECT * FROM dbo.Locks ORDER BY Id"_s))
                all << u"%1 %2 %3 %4"_s.arg(row[0].toInt64())
                           .arg(row[1].toInt64())
                           .arg(row[2].isNull() ? u"NULL"_s : row[2].toText())
                           .arg(row[3].toInt64());
        });
        return all;
    }
};

class tst_ServerAdminSqlServer : public WireSuiteByBoth {
    Q_OBJECT

private Q_SLOTS:
    void anEndedSessionIsOnRecordBeforeAndAfter()
    {
        Bench bench;
        const auto done = bench.admin->endSession(bench.shown(), u"stuck since 9"_s);
        VERIFY_DONE(done);
        COMPARE_TEXTS(bench.acts.killed(), "63");
        QVERIFY(!done->rollingBack);
        QCOMPARE(done->message, u"Session 63 was ended."_s);
        const auto audit = bench.acts.audit();
        QCOMPARE(audit.size(), size_t(2));
        QCOMPARE(audit[0].outcome, u"begun: the outcome follows"_s);
        QCOMPARE(audit[1].outcome, u"done"_s);
        QCOMPARE(done->auditId, audit[1].id);
        QCOMPARE(audit[1].act, actName(Act::EndSession));
        QCOMPARE(audit[1].reason, u"stuck since 9"_s);
        QCOMPARE(audit[1].who, u"ann"_s); // the login, whatever the program says of itself
        const LockOwnerInfo self = LockOwnerInfo::ofThisProcess();
        for (const AdminAnswers::Audit& row : audit) {
            QCOMPARE(row.origin, self.owner + u", "_s + self.host + u", "_s + self.program);
            // The record of the state before has the statement.
            const auto before = QJsonDocument::fromJson(row.before.toUtf8()).object();
            QCOMPARE(before[u"shown"][u"statement"].toString(), bench.shown().statement);
        }
        const auto read = bench.admin->audit();
        QVERIFY(read);
        QCOMPARE(read->size(), 2);
        QCOMPARE(read->at(0).outcome, u"done"_s);
        QCOMPARE(read->at(0).from, self.owner + u", "_s + self.host + u", "_s + self.program);
    }

    void anotherSessionOfTheSameIdIsLeftAlone()
    {
        Bench bench;
        lockscope::Session earlier = bench.shown();
        earlier.started = earlier.started - 1s;
        VERIFY_FAILS(ErrorKind::Changed, bench.admin->endSession(earlier, u"stuck"_s));
        QCOMPARE(bench.acts.killed(), QStringList());
        COMPARE_TEXTS(bench.outcomes(), "changed meanwhile: another session has this id now");
    }

    void aSessionThatHasEndedIsNotEndedAgain()
    {
        Bench bench;
        bench.acts.change([](AdminAnswers::State& state) { state.sessions.remove(63); });
        VERIFY_FAILS(ErrorKind::Changed, bench.admin->endSession(bench.shown(), u"stuck"_s));
        COMPARE_TEXTS(bench.outcomes(), "changed meanwhile: the session has ended");
    }

    void ownAndSystemSessionsAreRefused()
    {
        Bench bench;
        lockscope::Session own = bench.shown();
        own.id = bench.connection->sessionId();
        own.started = bench.connection->sessionStarted();
        VERIFY_FAILS(ErrorKind::BadInput, bench.admin->endSession(own, u"r"_s));
        lockscope::Session marked = bench.shown();
        marked.system = true;
        VERIFY_FAILS(ErrorKind::BadInput, bench.admin->endSession(marked, u"r"_s));
        // Shown as a user's, but it is not: the server's word counts.
        bench.acts.change([](AdminAnswers::State& state) { state.sessions.find(63)->isUser = false; });
        const auto done = bench.admin->endSession(bench.shown(), u"r"_s);
        QCOMPARE(done.error().kind, ErrorKind::BadInput);
        VERIFY_CONTAINS(done.error().what, u"belongs to the server"_s);
        QCOMPARE(bench.acts.killed(), QStringList());
    }

    void withoutTheRightTheGrantIsNamedAndTheAttemptIsOnRecord()
    {
        Bench bench;
        bench.acts.change([](AdminAnswers::State& state) { state.mayKill = false; });
        const auto done = bench.admin->endSession(bench.shown(), u"stuck"_s);
        VERIFY_FAILS(ErrorKind::Permission, done);
        QCOMPARE(done.error().hint, u"GRANT ALTER ANY CONNECTION TO [ann];"_s);
        const QStringList outcomes = bench.outcomes();
        QCOMPARE(outcomes.size(), 2);
        QCOMPARE(outcomes[0], u"begun: the outcome follows"_s);
        VERIFY_STARTS(outcomes[1], u"refused: "_s);
    }

    void onAzureTheGrantIsAnother()
    {
        Bench bench;
        Picture picture;
        picture.engineEdition = 5;
        bench.answers.show(picture);
        auto connection = db::Server::at(bench.profile.url, [&bench](const QString&) -> Result<QString> {
            return passwordOf(bench.server);
        }).connect();
        QVERIFY(connection);
        bench.acts.change([](AdminAnswers::State& state) { state.mayKill = false; });
        const auto done = ServerAdmin(**connection, bench.profile).endSession(bench.shown(), u"stuck"_s);
        QCOMPARE(done.error().kind, ErrorKind::Permission);
        QCOMPARE(done.error().hint, u"GRANT KILL DATABASE CONNECTION TO [ann];"_s);
    }

    void whatWasDoneStaysDoneIfNobodyCanCheckAfterwards()
    {
        Bench bench;
        bench.server.answer("sqlserver/admin/session_lives",
            [](const Request&, Reply& reply) { reply.error(300, u"denied"_s, 14); });
        const auto done = bench.admin->endSession(bench.shown(), u"stuck"_s);
        VERIFY_DONE(done);
        QVERIFY(done->rollingBack);
        VERIFY_CONTAINS(done->message, u"The end of session 63 was requested"_s);
        COMPARE_TEXTS(bench.acts.killed(), "63");
    }

    void withoutAnAnswerNobodySaysThatItWasRefused()
    {
        Bench bench;
        bench.acts.change([](AdminAnswers::State& state) { state.auditInstalled = false; });
        const LocalAudit local(test::freshPath(u"state/audit.jsonl"_s));
        bench.admin->recordLocally(local);
        bench.server.answer("sqlserver/admin/end_session", [&bench](const Request& request, Reply& reply) {
            reply.defer()->onCancel([](Reply::End) {});
            bench.server.after(std::chrono::milliseconds(0),
                [&bench, id = request.session->id] { bench.server.disconnect(id); });
        });
        const auto done = bench.admin->endSession(bench.shown(), u"stuck"_s);
        QVERIFY(!done);
        QVERIFY2(done.error().what.contains(u"not known whether it was done"_s),
            qPrintable(done.error().toString()));
        VERIFY_STARTS(local.read()->at(0).outcome, u"unknown, whether it was done: "_s);
    }

    void aRefusalIsOnTheLocalRecordOnceInItsOwnWords()
    {
        Bench bench;
        bench.acts.change([](AdminAnswers::State& state) {
            state.auditInstalled = false;
            state.sessions.find(63)->isUser = false;
        });
        const LocalAudit local(test::freshPath(u"state/audit.jsonl"_s));
        bench.admin->recordLocally(local);
        VERIFY_FAILS(ErrorKind::BadInput, bench.admin->endSession(bench.shown(), u"r"_s));
        QCOMPARE(local.read()->at(0).outcome, u"refused: it belongs to the server itself"_s);
    }

    void whatCannotBeRecordedIsNotDone()
    {
        Bench bench;
        bench.acts.change([](AdminAnswers::State& state) { state.auditClosed = true; });
        const auto done = bench.admin->endSession(bench.shown(), u"stuck"_s);
        VERIFY_FAILS(ErrorKind::Permission, done);
        VERIFY_CONTAINS(done.error().hint, u"lockscope_operator"_s);
        QCOMPARE(bench.acts.killed(), QStringList());

        bench.acts.change([](AdminAnswers::State& state) { state.auditInstalled = false; });
        VERIFY_FAILS(ErrorKind::MissingObject, bench.admin->endSession(bench.shown(), u"stuck"_s));
        QCOMPARE(bench.acts.killed(), QStringList());
    }

    void withoutTheAuditItIsRecordedInAFile()
    {
        Bench bench;
        bench.acts.change([](AdminAnswers::State& state) {
            state.auditInstalled = false;
            state.unitsOfWork = QStringList{unitOfWork};
        });
        const LocalAudit local(test::freshPath(u"state/audit.jsonl"_s));
        bench.admin->recordLocally(local);
        const auto done = bench.admin->endSession(bench.shown(), u"stuck"_s);
        VERIFY_DONE(done);
        COMPARE_TEXTS(bench.acts.killed(), "63");
        QCOMPARE(bench.outcomes(), QStringList());
        QCOMPARE(local.read()->at(0).outcome, u"done"_s);
        QCOMPARE(local.read()->at(0).who, u"ann"_s);
        QVERIFY(bench.admin->endSession(bench.orphan(), u"stuck"_s));
        QCOMPARE(local.read()->size(), 2);

        bench.acts.change([](AdminAnswers::State& state) { state.mayKill = false; });
        QCOMPARE(bench.admin->rights()->mayAct, false);
        QCOMPARE(bench.admin->rights()->grantToAct, u"GRANT ALTER ANY CONNECTION TO [ann];"_s);
    }

    void aLongRollbackIsFollowedAndNeverHurried()
    {
        Bench bench;
        bench.acts.change([](AdminAnswers::State& state) { state.workToUndo = 40; });
        const auto done = bench.admin->endSession(bench.shown(), u"stuck"_s);
        QVERIFY(done);
        QVERIFY(done->rollingBack);
        auto progress = bench.admin->rollbackProgress(bench.shown());
        QVERIFY(progress);
        QVERIFY(progress->rollingBack);
        QCOMPARE(progress->percent, 40);
        QCOMPARE(progress->left, milliseconds(30s));
        QCOMPARE(progress->toString(), u"rolling back, 40 % done, about 30 s left"_s);

        VERIFY_FAILS(ErrorKind::BadInput, bench.admin->endSession(bench.shown(), u"hurry"_s));
        COMPARE_TEXTS(bench.acts.killed(), "63");

        bench.acts.change([](AdminAnswers::State& state) { state.sessions.remove(63); });
        progress = bench.admin->rollbackProgress(bench.shown());
        QVERIFY(progress);
        QVERIFY(progress->gone);
    }

    void nothingThatRollsBackIsNoError()
    {
        Bench bench;
        const auto progress = bench.admin->rollbackProgress(bench.shown());
        QVERIFY(progress);
        QVERIFY(!progress->gone);
        QVERIFY(!progress->rollingBack);
        QVERIFY(!progress->percent);
    }

    void aStatementOfAnotherSessionCannotBeCancelled()
    {
        Bench bench;
        const auto done = bench.admin->cancelSession(bench.shown(), u"stuck"_s);
        VERIFY_FAILS(ErrorKind::Unsupported, done);
        QVERIFY(!done.error().hint.isEmpty());
        QVERIFY(!bench.connection->dialect().can(db::Capability::CancelStatement));
    }

    void anOrphanedTransactionIsEndedByItsUnitOfWork()
    {
        Bench bench;
        bench.acts.change([](AdminAnswers::State& state) { state.unitsOfWork = QStringList{unitOfWork}; });
        const auto done = bench.admin->endSession(bench.orphan(), u"its coordinator is gone"_s);
        VERIFY_DONE(done);
        QCOMPARE(bench.acts.killed(), QStringList{unitOfWork});
        COMPARE_TEXTS(bench.outcomes(), "begun: the outcome follows", "done");
        VERIFY_FAILS(ErrorKind::Changed, bench.admin->endSession(bench.orphan(), u"once more"_s));
    }

    void aBlockerThatIsNoSessionIsRefused()
    {
        Bench bench;
        lockscope::Session nobody;
        nobody.id = {-3};
        VERIFY_FAILS(ErrorKind::BadInput, bench.admin->endSession(nobody, u"r"_s));
        // A transaction of one server alone has this in place of a unit of work.
        lockscope::Session local = bench.orphan();
        local.unitOfWork = u"00000000-0000-0000-0000-000000000000"_s;
        VERIFY_FAILS(ErrorKind::BadInput, bench.admin->endSession(local, u"r"_s));
        QCOMPARE(bench.acts.killed(), QStringList());
    }

    void whoCanEndAPreparedTransactionIsReported()
    {
        Bench bench;
        bench.server.answer("sqlserver/admin/end_unit_of_work", [](const Request&, Reply& reply) {
            reply.error(6112,
                u"Distributed transaction with UOW {%1} is in prepared state. Only Microsoft Distributed Transaction Coordinator can resolve this transaction. KILL command failed."_s
                    .arg(unitOfWork),
                16);
        });
        const auto refused = bench.admin->endSession(bench.orphan(), u"its coordinator is gone"_s);
        VERIFY_FAILS(ErrorKind::BadInput, refused);
        QVERIFY2(refused.error().hint.contains(u"MS DTC"_s), qPrintable(refused.error().toString()));
    }

    void anEntryIsReleasedIfItIsTheOneThatWasShown()
    {
        Bench bench;
        bench.put(u"nightly ]'x"_s, u"t1"_s, 1h);
        LockTableEntry shown;
        shown.table = u"lockscope.lock_entry"_s;
        shown.name = u"nightly ]'x"_s;
        shown.fencing = 6;
        const auto other = bench.admin->releaseEntry(shown, u"stuck"_s);
        VERIFY_FAILS(ErrorKind::Changed, other);
        VERIFY_CONTAINS(other.error().what, u"ann on app01 holds it now"_s);
        shown.fencing = 7;
        const auto done = bench.admin->releaseEntry(shown, u"stuck"_s);
        VERIFY_DONE(done);
        QCOMPARE(done->message, u"Lock 'nightly ]'x' released; nobody waits for it."_s);
        QCOMPARE(bench.acts.audit().back().outcome, u"done"_s);
        QVERIFY(bench.acts.audit().back().before.contains(u"\"fencing\":7"));
        QVERIFY(!bench.connection->inTransaction());
    }

    void onlyStaleEntriesArePurged()
    {
        Bench bench;
        bench.put(u"old"_s, u"t1"_s, -1min);
        bench.put(u"young"_s, u"t2"_s, 1h);
        Picture picture;
        picture.nowUs = QDateTime::currentMSecsSinceEpoch() * 1'000;
        bench.answers.show(picture);
        auto stale = bench.admin->previewPurge();
        VERIFY_DONE(stale);
        QCOMPARE(stale->size(), 1);
        QCOMPARE(stale->at(0).name, u"old"_s);
        LockTableEntry young = stale->at(0);
        young.name = u"young"_s;
        stale->append(young);
        const auto done = bench.admin->purgeStale(*stale, u"Monday"_s);
        VERIFY_DONE(done);
        QCOMPARE(done->count, 1);
        bench.acts.change([](AdminAnswers::State& state) { QVERIFY(state.table.entry(u"young"_s)); });
        VERIFY_CONTAINS(bench.acts.audit().back().outcome, u"changed meanwhile: 'young'"_s);
    }

    void attachedRowsAreReleasedByNameAndExactTime()
    {
        const db::AttachedTable table{u"dbo"_s, u"Odd Locks"_s};
        Bench bench({table});
        bench.acts.change([](AdminAnswers::State& state) {
            state.auditInstalled = false;
            state.tables.make(
                tsql::UserTable(u"CREATE TABLE [dbo].[Odd Locks] (Name nvarchar(255), SetTime datetime)"_s,
                    {u"INSERT INTO [dbo].[Odd Locks] VALUES ('best sellers', '2026-11-21 03:12:07.123')"_s}));
        });
        LockTableEntry shown = attachedRow(table, u"best sellers"_s, u"2026-11-21 03:12:07.120"_s);
        VERIFY_FAILS(ErrorKind::MissingObject, bench.admin->releaseEntry(shown, u"stuck"_s));
        const LocalAudit local(test::freshPath(u"state/audit.jsonl"_s));
        bench.admin->recordLocally(local);
        VERIFY_FAILS(ErrorKind::Changed, bench.admin->releaseEntry(shown, u"stuck"_s));
        shown.stored[1] = u"2026-11-21 03:12:07.123"_s;
        const auto done = bench.admin->releaseEntry(shown, u"stuck"_s);
        VERIFY_DONE(done);
        QCOMPARE(local.read()->at(0).outcome, u"done"_s);
        bench.acts.change([](AdminAnswers::State& state) {
            QVERIFY(state.tables.query(u"SELECT 1 FROM [dbo].[Odd Locks]"_s).empty());
        });
    }

    void attachedRowsThatCannotBeToldApartAreLeftAlone()
    {
        const db::AttachedTable table{u"dbo"_s, u"Locks"_s};
        Bench bench({table});
        const QString time = u"2026-11-21 03:12:07.123"_s;
        bench.acts.change([&time](AdminAnswers::State& state) {
            tsql::UserTable locks(u"CREATE TABLE dbo.Locks (Name nvarchar(255), SetTime datetime)"_s);
            for (const QString& name : {u"twice"_s, u"twice"_s, u"once"_s})
                locks.rows << u"INSERT INTO dbo.Locks VALUES ('%1', '%2')"_s.arg(name, time);
            state.tables.make(locks);
        });
        const LockTableEntry twice = attachedRow(table, u"twice"_s, time);
        const auto released = bench.admin->releaseEntry(twice, u"stuck"_s);
        VERIFY_FAILS(ErrorKind::BadInput, released);
        VERIFY_CONTAINS(released.error().what, u"several rows"_s);
        VERIFY_STARTS(bench.outcomes().last(), u"refused: "_s);
        VERIFY_FAILS(ErrorKind::BadInput, bench.admin->purgeStale({twice}, u"Monday"_s));
        const LockTableEntry once = attachedRow(table, u"once"_s, time);
        const auto purged = bench.admin->purgeStale({twice, once}, u"Monday"_s);
        VERIFY_DONE(purged);
        QCOMPARE(purged->count, 1);
        VERIFY_CONTAINS(purged->message, u"several rows that are alike: 'twice'"_s);
        bench.acts.change([](AdminAnswers::State& state) {
            QCOMPARE(state.tables.query(u"SELECT 1 FROM dbo.Locks"_s).size(), 2U);
        });
    }

    void rowsOfFrameworksThatAreOthersByNowStay()
    {
        Bench bench;
        FrameworkLocks locks{bench};
        locks.put({1, 2});
        for (const auto& [holder, now] : {std::pair(u"app02"_s, u"holder is 'app01' (was 'app02')"_s),
                 std::pair(QString(), u"holder is 'app01' (was NULL)"_s)}) {
            locks.shown.stored = {u"1"_s, holder, u"7"_s};
            const auto changed = locks.release();
            VERIFY_FAILS(ErrorKind::Changed, changed);
            VERIFY_CONTAINS(changed.error().what, now);
        }
        locks.shown.stored = {u"1"_s, u"app01"_s, u"7"_s};
        locks.put({1, 1});
        VERIFY_FAILS(ErrorKind::BadInput, locks.release());
        COMPARE_TEXTS(locks.rows(), "1 1 app01 7", "1 1 app01 7");
        locks.put({1, 2}, {u"trap"_s});
        const auto trapped = locks.release();
        VERIFY_FAILS(ErrorKind::Permission, trapped);
        QVERIFY2(trapped.error().detail.contains(u"trigger trap (mallory)"_s),
            qPrintable(trapped.error().toString()));
        COMPARE_TEXTS(locks.rows(), "1 1 app01 7", "2 1 app01 7");
        QVERIFY(!bench.connection->inTransaction());
    }

    void rowsOfFrameworksAreFreedAsTheyWereShown()
    {
        Bench bench;
        FrameworkLocks locks{bench};
        locks.put({1, 2});
        const auto done = locks.release();
        VERIFY_DONE(done);
        COMPARE_TEXTS(locks.rows(), "1 0 NULL 8", "2 1 app01 7");
        QCOMPARE(bench.outcomes().last(), u"done"_s);
        VERIFY_CONTAINS(bench.acts.audit().back().before, u"app01"_s);
        locks.shown.framework = lockscope::test::matchOf(lockscope::test::rowLock({u"id"_s, u"holder"_s}));
        locks.shown.stored = {u"2"_s, u"app01"_s};
        VERIFY_DONE(locks.release());
        COMPARE_TEXTS(locks.rows(), "1 0 NULL 8");
        QVERIFY(!bench.connection->inTransaction());
    }

    void readOnlyRefusesEverything()
    {
        Bench bench({}, true);
        LockTableEntry entry;
        entry.name = u"nightly"_s;
        VERIFY_FAILS(ErrorKind::ReadOnly, bench.admin->endSession(bench.shown(), u"r"_s));
        VERIFY_FAILS(ErrorKind::ReadOnly, bench.admin->endSession(bench.orphan(), u"r"_s));
        VERIFY_FAILS(ErrorKind::ReadOnly, bench.admin->releaseEntry(entry, u"r"_s));
        VERIFY_FAILS(ErrorKind::ReadOnly, bench.admin->purgeStale({entry}, u"r"_s));
        QCOMPARE(bench.acts.killed(), QStringList());
    }
};

LOCKSCOPE_TEST(tst_ServerAdminSqlServer)

} // namespace tst_ServerAdminSqlServer
#include "tst_ServerAdminSqlServer.moc"
