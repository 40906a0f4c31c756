// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/ByHand.h"
#include "core/admin/ServerAdmin.h"
#include "core/monitor/SnapshotSource.h"
#include "tests/support/Session.h"
#include "tests/support/TestProgram.h"

namespace tst_ServerAdmin {

using namespace lockscope;
using namespace lockscope::admin;
using namespace lockscope::test;

constexpr auto server = &TestServer::shared;

static SnapshotPtr snapshotOf(const db::ServerProfile& profile)
{
    return orDie(monitor::makeSnapshotSource({profile, server().passwords()})->take());
}

static LockTableEntry entryNamed(const Snapshot& snapshot, const QString& name)
{
    const auto found = std::ranges::find(snapshot.entries, name, &LockTableEntry::name);
    return found == snapshot.entries.end() ? LockTableEntry() : *found;
}

const QString mayNotRecord =
    u"GRANT USAGE ON SCHEMA lockscope TO {role}; GRANT SELECT, DELETE ON lockscope.lock_entry TO {role}; GRANT SELECT ON lockscope.lock_waiter TO {role}"_s;

/// An administrator on a fresh database, and the state of the database afterwards.
struct Bench {
    explicit Bench(TestServer::Schema schema = TestServer::Schema::Install)
        : profile(profileOf(server().freshDatabase(schema)))
    {
        reconnect();
    }
    void reconnect()
    {
        connection = server().connect(profile.url, {.purpose = db::Purpose::Admin});
        admin = std::make_unique<ServerAdmin>(*connection, profile);
    }
    void run(const QString& sql) const { server().run(superuserUrl.value_or(profile.url), sql); }
    void insertEntry(const QString& name, const QString& token, const QString& ends = u"1 hour"_s) const
    {
        run(u"INSERT INTO lockscope.lock_entry (name, token, expires_at, owner, host) VALUES ('%1', '%2', clock_timestamp() + interval '%3', 'ann', 'app01')"_s
                .arg(name, token, ends));
    }
    /// Inserts an entry and returns it as the monitor shows it.
    LockTableEntry shownEntry(const QString& name, const QString& ends = u"1 hour"_s) const
    {
        insertEntry(name, u"t1"_s, ends);
        return entryNamed(snapshot(), name);
    }
    Snapshot snapshot() const { return *snapshotOf(profile); }
    lockscope::Session shown(SessionId id) const
    {
        const auto now = snapshotOf(profile);
        const auto* session = now->session(id);
        return session ? *session : lockscope::Session{};
    }
    /// Starts a statement that sleeps, and waits until the monitor shows it.
    bool sleeps(test::Session& session) const
    {
        session.start(u"SELECT pg_sleep(3600)"_s);
        return waitUntil([&] { return shown(session.id()).state == SessionState::Active; });
    }
    QList<AuditRecord> audit() const { return admin->audit().value_or(QList<AuditRecord>{}); }
    void become(const QString& grants)
    {
        superuserUrl = profile.url;
        profile.url = server().asRole(profile.url, grants);
        reconnect();
    }

    db::ServerProfile profile;
    std::optional<db::ServerUrl> superuserUrl;
    std::unique_ptr<db::Connection> connection;
    std::unique_ptr<ServerAdmin> admin;
    LocalAudit local{freshPath(u"state/audit.jsonl"_s)}; ///< once admin->recordLocally() is called
};

class tst_ServerAdmin : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void releaseDeletesTheRowAndRecordsIt()
    {
        Bench bench;
        const auto shown = bench.shownEntry(u"nightly"_s);
        test::Session bob(server(), bench.profile.url); // waits as long as his session is there
        QVERIFY(bob.run(
            u"INSERT INTO lockscope.lock_waiter (name, token, expires_at, owner, host) VALUES ('nightly', 'bob''s', clock_timestamp() + interval '50 s', 'bob', 'app02')"_s));
        const auto done = bench.admin->releaseEntry(shown, u"  the job died "_s);
        QVERIFY(done);
        QCOMPARE(done->message, u"Lock 'nightly' released; bob on app02 gets it next."_s);
        QVERIFY(bench.snapshot().entries.empty());
        const auto audit = bench.audit();
        QCOMPARE(audit.size(), 1);
        QCOMPARE(audit[0].id, done->auditId);
        QCOMPARE(audit[0].act, actName(Act::ReleaseEntry));
        QCOMPARE(audit[0].target, u"lock 'nightly' held by ann on app01"_s);
        QCOMPARE(audit[0].reason, u"the job died"_s);
        QCOMPARE(audit[0].outcome, u"done"_s);
        QVERIFY(audit[0].before.contains(u"\"fencing\": 1"));
        QVERIFY(!audit[0].before.contains(u"\"t1\""));
        const LockOwnerInfo self = LockOwnerInfo::ofThisProcess();
        QCOMPARE(audit[0].who, bench.profile.url.user);
        QCOMPARE(audit[0].from, QStringList({self.owner, self.host, self.program}).join(u", "_s));
        QVERIFY(audit[0].at.isValid());
    }

    void releaseLeavesTheNextHoldersLockAlone()
    {
        Bench bench;
        const auto shown = bench.shownEntry(u"nightly"_s);
        bench.run(u"UPDATE lockscope.lock_entry SET token = 't2', owner = 'bob', host = 'app02'"_s);
        const auto done = bench.admin->releaseEntry(shown, u"stuck"_s);
        VERIFY_FAILS(ErrorKind::Changed, done);
        QVERIFY(done.error().what.contains(u"bob on app02 holds it now"));
        QCOMPARE(entryNamed(bench.snapshot(), u"nightly"_s).token, u"t2..."_s);
        QCOMPARE(bench.audit().size(), 1);
        QCOMPARE(bench.audit()[0].outcome, u"changed meanwhile: bob on app02 holds it now"_s);
        QVERIFY(bench.audit()[0].before.contains(u"\"bob\""));

        bench.run(u"DELETE FROM lockscope.lock_entry"_s);
        VERIFY_FAILS(ErrorKind::Changed, bench.admin->releaseEntry(shown, u"stuck"_s));
        QCOMPARE(bench.audit()[0].outcome, u"changed meanwhile: it was released by somebody else"_s);
    }

    void aReasonIsNeeded()
    {
        Bench bench;
        const auto shown = bench.shownEntry(u"nightly"_s);
        VERIFY_FAILS(ErrorKind::BadInput, bench.admin->releaseEntry(shown, u" \t "_s));
        VERIFY_FAILS(ErrorKind::BadInput, bench.admin->purgeStale({shown}, {}));
        test::Session ann(server(), bench.profile.url);
        VERIFY_FAILS(ErrorKind::BadInput, bench.admin->endSession(bench.shown(ann.id()), {}));
        QCOMPARE(bench.snapshot().entries.size(), 1u);
        QVERIFY(ann.run(u"SELECT 1"_s));
    }

    void readOnlyRefusesEverythingButReading()
    {
        Bench bench;
        const auto shown = bench.shownEntry(u"nightly"_s, u"-1 s"_s);
        test::Session ann(server(), bench.profile.url);
        bench.profile.readOnly = true;
        bench.reconnect();
        VERIFY_FAILS(ErrorKind::ReadOnly, bench.admin->releaseEntry(shown, u"r"_s));
        VERIFY_FAILS(ErrorKind::ReadOnly, bench.admin->purgeStale({shown}, u"r"_s));
        VERIFY_FAILS(ErrorKind::ReadOnly, bench.admin->endSession(bench.shown(ann.id()), u"r"_s));
        VERIFY_FAILS(ErrorKind::ReadOnly, bench.admin->cancelSession(bench.shown(ann.id()), u"r"_s));
        QCOMPARE(bench.admin->previewPurge()->size(), 1);
        QVERIFY(bench.audit().isEmpty());
        QCOMPARE(bench.snapshot().entries.size(), 1u);
        QVERIFY(ann.run(u"SELECT 1"_s));
    }

    void purgeTakesExactlyWhatWasShownAndIsStillStale()
    {
        Bench bench;
        bench.insertEntry(u"fresh"_s, u"t0"_s);
        bench.insertEntry(u"a"_s, u"ta"_s, u"-1 s"_s);
        bench.insertEntry(u"b"_s, u"tb"_s, u"-1 s"_s);
        bench.insertEntry(u"c"_s, u"tc"_s, u"-1 s"_s);
        const auto preview = bench.admin->previewPurge();
        QVERIFY(preview);
        QCOMPARE(preview->size(), 3);
        bench.run(u"UPDATE lockscope.lock_entry SET token = 'other' WHERE name = 'b'"_s);
        bench.run(u"UPDATE lockscope.lock_entry SET expires_at = now() + interval '1 h' WHERE name = 'c'"_s);
        bench.insertEntry(u"later"_s, u"tl"_s, u"-1 s"_s);
        const auto done = bench.admin->purgeStale(*preview, u"clean up"_s);
        QVERIFY(done);
        QCOMPARE(done->count, 1);
        const auto left = bench.snapshot().entries;
        QCOMPARE(left.size(), 4u);
        QVERIFY(std::ranges::none_of(left, [](const LockTableEntry& e) { return e.name == u"a"; }));
        QCOMPARE(bench.audit()[0].act, actName(Act::PurgeStale));
        QCOMPARE(bench.audit()[0].target, u"3 stale locks: 'a', 'b', 'c'"_s);
        QCOMPARE(bench.audit()[0].outcome, u"done: 1 of 3; changed meanwhile: 'b', 'c'"_s);

        VERIFY_FAILS(ErrorKind::Changed, bench.admin->purgeStale(*preview, u"again"_s));
        QVERIFY(bench.audit()[0].outcome.startsWith(u"changed meanwhile"));
        VERIFY_FAILS(ErrorKind::BadInput, bench.admin->purgeStale({}, u"nothing"_s));
    }

    void endSessionEndsExactlyThatSession()
    {
        Bench bench;
        test::Session ann(server(), bench.profile.url, u"till 3"_s);
        test::Session bob(server(), bench.profile.url);
        QVERIFY(ann.begin(u"SELECT pg_advisory_xact_lock(5)"_s));
        QVERIFY(bob.startWaiting(u"SELECT pg_advisory_lock(5)"_s));
        const auto done = bench.admin->endSession(bench.shown(ann.id()), u"left open"_s);
        VERIFY_DONE(done);
        QCOMPARE(done->message, u"Session %1 was ended."_s.arg(ann.id().value));
        QVERIFY(bob.wait());
        QVERIFY(!bench.snapshot().session(ann.id()));
        const auto audit = bench.audit();
        QCOMPARE(audit.size(), 1);
        QCOMPARE(audit[0].outcome, u"done"_s);
        QVERIFY(audit[0].target.startsWith(u"session %1 ("_s.arg(ann.id().value)));
        QVERIFY(audit[0].before.contains(u"idle in transaction"));
    }

    void aReusedProcessIdIsLeftAlone()
    {
        Bench bench;
        test::Session ann(server(), bench.profile.url);
        auto shown = bench.shown(ann.id());
        shown.started.us -= 1;
        VERIFY_FAILS(ErrorKind::Changed, bench.admin->endSession(shown, u"stuck"_s));
        QVERIFY(ann.run(u"SELECT 1"_s));
        QCOMPARE(bench.audit()[0].outcome, u"changed meanwhile: another session has this id now"_s);
    }

    void aSessionThatEndedMeanwhileIsSaidToHave()
    {
        Bench bench;
        lockscope::Session shown;
        {
            test::Session ann(server(), bench.profile.url);
            shown = bench.shown(ann.id());
        }
        QVERIFY(waitUntil([&] { return !bench.snapshot().session(shown.id); }));
        VERIFY_FAILS(ErrorKind::Changed, bench.admin->endSession(shown, u"stuck"_s));
        QCOMPARE(bench.audit()[0].outcome, u"changed meanwhile: the session has ended"_s);
    }

    void cancelStopsTheStatementThatWasShown()
    {
        Bench bench;
        test::Session ann(server(), bench.profile.url);
        QVERIFY(bench.sleeps(ann));
        const auto shown = bench.shown(ann.id());
        QVERIFY(bench.admin->cancelSession(shown, u"too long"_s));
        QVERIFY(!ann.wait());
        QVERIFY(ann.run(u"SELECT 1"_s)); // the session lives on

        QVERIFY(bench.sleeps(ann));
        VERIFY_FAILS(ErrorKind::Changed, bench.admin->cancelSession(shown, u"again"_s));
        QCOMPARE(bench.audit()[0].outcome, u"changed meanwhile: that statement has ended"_s);
        QVERIFY(ann.isRunning());
        QCOMPARE(bench.audit()[1].outcome, u"done"_s);
        ann.cancel();
    }

    void ownSystemAndPreparedOnesAreRefused()
    {
        Bench bench;
        const Snapshot snapshot = bench.snapshot();
        const auto system =
            std::ranges::find_if(snapshot.sessions, [](const lockscope::Session& s) { return s.system; });
        QVERIFY(system != snapshot.sessions.end());
        VERIFY_FAILS(ErrorKind::BadInput, bench.admin->endSession(*system, u"r"_s));
        QVERIFY(bench.audit()[0].outcome.startsWith(u"refused: "));
        QCOMPARE(bench.admin->endSession(bench.shown(bench.connection->sessionId()), u"r"_s).error().kind,
            ErrorKind::BadInput);
        lockscope::Session prepared;
        prepared.id = SessionId{-7421};
        QVERIFY(bench.admin->endSession(prepared, u"r"_s).error().hint.contains(u"ROLLBACK PREPARED"));
        QCOMPARE(bench.audit().size(), 3);
    }

    void withoutTheRightTheGrantIsNamed()
    {
        Bench bench;
        // The session is of another ordinary role: a superuser's would need a superuser.
        test::Session ann(server(), server().asRole(bench.profile.url));
        bench.become(u"GRANT pg_read_all_stats TO {role}; GRANT lockscope_operator TO {role}"_s);
        const auto done = bench.admin->endSession(bench.shown(ann.id()), u"stuck"_s);
        VERIFY_FAILS(ErrorKind::Permission, done);
        QCOMPARE(done.error().hint, u"GRANT pg_signal_backend TO \"%1\";"_s.arg(bench.profile.url.user));
        QVERIFY(bench.audit()[0].outcome.startsWith(u"refused: "));
        QVERIFY(ann.run(u"SELECT 1"_s));
        bench.run(done.error().hint);
        QVERIFY(bench.admin->endSession(bench.shown(ann.id()), u"stuck"_s));
    }

    void withoutTheAuditNothingIsDone()
    {
        Bench bench;
        test::Session ann(server(), bench.profile.url);
        const auto session = bench.shown(ann.id());
        const auto entry = bench.shownEntry(u"nightly"_s);
        bench.run(u"DROP TABLE lockscope.audit_log CASCADE"_s);
        const auto ended = bench.admin->endSession(session, u"stuck"_s);
        VERIFY_FAILS(ErrorKind::MissingObject, ended);
        QVERIFY(ended.error().hint.contains(u"lockctl install"));
        VERIFY_FAILS(ErrorKind::MissingObject, bench.admin->releaseEntry(entry, u"stuck"_s));
        QCOMPARE(bench.snapshot().entries.size(), 1u);
        QVERIFY(ann.run(u"SELECT 1"_s));
    }

    void aRoleThatMayNotRecordMayNotAct()
    {
        Bench bench;
        const auto entry = bench.shownEntry(u"nightly"_s);
        bench.become(mayNotRecord);
        VERIFY_FAILS(ErrorKind::Permission, bench.admin->releaseEntry(entry, u"stuck"_s));
        QCOMPARE(bench.snapshot().entries.size(), 1u);
    }

    void attachedRowsAreReleasedByTheirExactTime()
    {
        Bench bench(TestServer::Schema::None);
        bench.run(u"CREATE TABLE public.locks (\"Name\" text UNIQUE, \"SetTime\" timestamp)"_s);
        bench.run(u"INSERT INTO locks VALUES ('a', '2020-01-01 00:00:00.123456'), ('b', '2020-01-01')"_s);
        bench.profile.attached = {db::AttachedTable{{}, u"locks"_s}};
        bench.reconnect();
        const auto stale = bench.admin->previewPurge();
        QVERIFY(stale);
        QCOMPARE(stale->size(), 2);
        bench.run(u"UPDATE locks SET \"SetTime\" = '2020-01-01 00:00:00.123457' WHERE \"Name\" = 'a'"_s);
        // Without an audit they are left alone, as everything is.
        VERIFY_FAILS(ErrorKind::MissingObject, bench.admin->purgeStale(*stale, u"r"_s));
        VERIFY_FAILS(ErrorKind::MissingObject, bench.admin->releaseEntry(stale->at(1), u"r"_s));
        QCOMPARE(bench.snapshot().entries.size(), 2u);

        bench.admin->recordLocally(bench.local);
        const auto changed = bench.admin->releaseEntry(stale->at(0), u"r"_s);
        QVERIFY2(changed.error().kind == ErrorKind::Changed, qPrintable(changed.error().toString()));
        QVERIFY(bench.local.read()->at(0).outcome.startsWith(u"changed meanwhile"));
        const auto purged = bench.admin->purgeStale(*stale, u"OPS-17"_s);
        VERIFY_DONE(purged);
        QCOMPARE(purged->count, 1);
        QCOMPARE(purged->auditId, 0);
        VERIFY_CONTAINS(purged->message, bench.local.path());
        const AuditRecord record = bench.local.read()->at(0);
        QCOMPARE(record.act, actName(Act::PurgeStale));
        QCOMPARE(record.reason, u"OPS-17"_s);
        QCOMPARE(record.who, bench.profile.url.user);
        QCOMPARE(record.server, bench.profile.display());
        QCOMPARE(record.outcome, u"done: 1 of 2; changed meanwhile: 'a'"_s);
        VERIFY_CONTAINS(record.before, u"2020-01-01"); // what the server saw go
        QVERIFY(bench.admin->releaseEntry(entryNamed(bench.snapshot(), u"a"_s), u"r"_s));
        QVERIFY(bench.snapshot().entries.empty());

        // If the audit table exists, it is used and the file is not.
        const auto recordsBefore = bench.local.read()->size();
        QVERIFY(db::installSchema(*server().connect(bench.profile.url)));
        bench.run(u"INSERT INTO locks VALUES ('c', NULL)"_s);
        const auto recorded = bench.admin->releaseEntry(entryNamed(bench.snapshot(), u"c"_s), u"r"_s);
        VERIFY_DONE(recorded);
        QCOMPARE(bench.audit()[0].id, recorded->auditId);
        QCOMPARE(bench.local.read()->size(), recordsBefore);
    }

    void attachedRowsThatCannotBeToldApartAreLeftAlone_data()
    {
        addRows<Engine>("engine", {{"PostgreSQL", Engine::Postgres}, {"SQLite", Engine::Sqlite}});
    }
    void attachedRowsThatCannotBeToldApartAreLeftAlone()
    {
        QFETCH(Engine, engine);
        db::ServerProfile profile;
        profile.url = freshFile();
        if (engine == Engine::Postgres)
            profile.url = server().freshDatabase();
        profile.attached = {
            db::AttachedTable{engine == Engine::Postgres ? u"public"_s : QString(), u"locks"_s}};
        const auto connection = db::Server{profile, server().passwords()}.connect(
            {.purpose = db::Purpose::Admin, .createFile = true});
        VERIFY_DONE(connection);
        QVERIFY(db::installSchema(**connection));
        const auto run = [&](const QString& sql) { VERIFY_DONE(runSql(**connection, sql)); };
        const QString place = engine == Engine::Postgres ? u"public."_s : QString();
        run(u"CREATE TABLE %1locks (\"Name\" text, \"SetTime\" %2)"_s.arg(
            place, engine == Engine::Postgres ? u"timestamp"_s : u"text"_s));
        run(u"INSERT INTO %1locks VALUES ('twice', '2020-01-01 00:00:00'), ('twice', '2020-01-01 00:00:00'), ('once', '2020-01-01 00:00:00')"_s
                .arg(place));
        ServerAdmin admin(**connection, profile);
        const auto stale = admin.previewPurge();
        VERIFY_DONE(stale);
        QCOMPARE(stale->size(), 3);
        const auto twice = std::ranges::find(*stale, u"twice"_s, &LockTableEntry::name);
        QVERIFY(twice != stale->end());
        const auto released = admin.releaseEntry(*twice, u"stuck"_s);
        VERIFY_FAILS(ErrorKind::BadInput, released);
        VERIFY_CONTAINS(released.error().what, u"several rows"_s);
        QCOMPARE(admin.previewPurge()->size(), 3);
        const auto purged = admin.purgeStale(*stale, u"Monday"_s);
        VERIFY_DONE(purged);
        QCOMPARE(purged->count, 1);
        QCOMPARE(admin.previewPurge()->size(), 2);
        LockTableEntry gone = *twice;
        gone.stored[0] = u"gone"_s;
        VERIFY_FAILS(ErrorKind::Changed, admin.releaseEntry(gone, u"r"_s));
    }

    void withoutTheAuditASessionIsEndedOnlyOnALocalRecord()
    {
        Bench bench(TestServer::Schema::None);
        test::Session ann(server(), bench.profile.url);
        test::Session bob(server(), bench.profile.url);
        QVERIFY(bob.run(u"BEGIN"_s));
        VERIFY_FAILS(ErrorKind::MissingObject, bench.admin->endSession(bench.shown(bob.id()), u"r"_s));
        QVERIFY(bob.run(u"SELECT 1"_s));

        bench.admin->recordLocally(bench.local);
        const auto done = bench.admin->endSession(bench.shown(bob.id()), u"OPS-17"_s);
        VERIFY_DONE(done);
        QCOMPARE(done->auditId, 0);
        QVERIFY(!done->rollingBack); // PostgreSQL undoes nothing
        VERIFY_CONTAINS(done->message, bench.local.path());
        QVERIFY(!bench.snapshot().session(bob.id()));
        const auto records = bench.local.read();
        QVERIFY(records);
        QCOMPARE(records->size(), 1);
        QCOMPARE(records->at(0).outcome, u"done"_s);
        QVERIFY(records->at(0).before.contains(u"idle in transaction"));
        QVERIFY(std::abs((records->at(0).at - bench.snapshot().takenAt).count()) < 60'000'000);

        // A refusal is on record, too.
        auto reused = bench.shown(ann.id());
        reused.started.us -= 1;
        VERIFY_FAILS(ErrorKind::Changed, bench.admin->endSession(reused, u"r"_s));
        QCOMPARE(bench.local.read()->at(0).outcome, u"changed meanwhile: another session has this id now"_s);
        QVERIFY(ann.run(u"SELECT 1"_s));
    }

    void whatCannotBeRecordedLocallyIsNotDone()
    {
        Bench bench(TestServer::Schema::None);
        test::Session ann(server(), bench.profile.url);
        const QString elsewhere = freshPath(u"elsewhere"_s);
        QVERIFY(QDir().mkpath(QFileInfo(bench.local.path()).path()));
        QVERIFY(QFile::link(elsewhere, bench.local.path()));
        bench.admin->recordLocally(bench.local);
        const auto done = bench.admin->endSession(bench.shown(ann.id()), u"r"_s);
        VERIFY_FAILS(ErrorKind::Permission, done);
        QVERIFY2(done.error().what.contains(u"it was not done"), qPrintable(done.error().toString()));
        QVERIFY(ann.run(u"SELECT 1"_s));
        QVERIFY(!QFile::exists(elsewhere));
    }

    void aClosedAuditIsNoMissingOne()
    {
        Bench bench;
        const auto entry = bench.shownEntry(u"nightly"_s);
        bench.become(mayNotRecord);
        bench.admin->recordLocally(bench.local);
        VERIFY_FAILS(ErrorKind::Permission, bench.admin->releaseEntry(entry, u"r"_s));
        QCOMPARE(bench.snapshot().entries.size(), 1u);
        QVERIFY(bench.local.read()->isEmpty());
    }

    void rightsAreReportedBeforeTheAct()
    {
        using Audit = ActRights::Audit;
        Bench bench;
        test::Session ann(server(), server().asRole(bench.profile.url));
        const auto shown = bench.shown(ann.id());
        QCOMPARE(bench.admin->rights(&shown)->audit, Audit::Open);
        QCOMPARE(bench.admin->rights(&shown)->mayAct, true);
        auto earlier = shown; // its number is another's by now
        earlier.started.us -= 1;
        QVERIFY(bench.admin->rights(&earlier)->hasGone && !bench.admin->rights(&shown)->hasGone);
        const auto superusers = bench.shown(bench.connection->sessionId());

        bench.become({});
        auto rights = bench.admin->rights(&shown);
        VERIFY_DONE(rights);
        QCOMPARE(rights->audit, Audit::Closed);
        QCOMPARE(rights->mayAct, false);
        bench.run(rights->grantToRecord);
        bench.run(rights->grantToAct);
        rights = bench.admin->rights(&shown);
        QCOMPARE(*rights,
            ActRights(
                {.audit = Audit::Open, .grantToRecord = {}, .mayAct = true, .grantToAct = {}, .whyNot = {}}));
        // The announced effect happens.
        VERIFY_DONE(bench.admin->endSession(shown, u"OPS-17"_s));
        QCOMPARE(bench.admin->rights(&shown)->mayAct, std::nullopt);
        QVERIFY(bench.admin->rights(&shown)->hasGone);
        QVERIFY(!bench.admin->rights()->hasGone); // none was asked for
        test::Session admin(server(), *bench.superuserUrl);
        auto ofSuperuser = superusers;
        ofSuperuser.id = admin.id();
        ofSuperuser.started = {}; // not known
        rights = bench.admin->rights(&ofSuperuser);
        QCOMPARE(rights->mayAct, false);
        QVERIFY(rights->grantToAct.isEmpty() && rights->whyNot.contains(u"superuser"));

        Bench bare(TestServer::Schema::None);
        QCOMPARE(bare.admin->rights()->audit, Audit::Missing);
    }

    void rightsOnRowsAreThoseOfTheirTables()
    {
        Bench bench;
        bench.run(
            u"CREATE TABLE public.jobs (\"Name\" text, \"SetTime\" timestamptz);INSERT INTO public.jobs VALUES ('nightly', now() - interval '1 hour');CREATE VIEW public.seen AS SELECT \"Name\", max(\"SetTime\") AS \"SetTime\" FROM public.jobs GROUP BY 1"_s);
        bench.profile.attached = {{u"public"_s, u"jobs"_s}, {u"public"_s, u"seen"_s}};
        bench.insertEntry(u"b"_s, u"t"_s);
        bench.reconnect();
        QList<LockTableEntry> ours;
        QList<LockTableEntry> jobs;
        QList<LockTableEntry> seen;
        for (const LockTableEntry& entry : bench.snapshot().entries)
            (!entry.framework ? ours : entry.table.contains(u"jobs") ? jobs : seen) << entry;
        QCOMPARE(ours.size() + jobs.size() + seen.size(), 3);
        QCOMPARE(bench.admin->rightsOnRows(ours)->mayAct, true);
        QCOMPARE(bench.admin->rightsOnRows(jobs)->mayAct, true);
        const auto ofView = bench.admin->rightsOnRows(seen);
        QCOMPARE(ofView->mayAct, false);
        VERIFY_CONTAINS(ofView->whyNot, u"view");

        bench.become(u"GRANT lockscope_operator TO {role}; GRANT SELECT ON public.jobs TO {role}"_s);
        QCOMPARE(bench.admin->rightsOnRows(ours)->mayAct, true);
        const auto rights = bench.admin->rightsOnRows(ours + jobs);
        VERIFY_DONE(rights);
        QCOMPARE(rights->mayAct, false);
        QVERIFY(!bench.admin->releaseEntry(jobs.first(), u"r"_s)); // the announced refusal holds
        bench.run(rights->grantToAct);
        QCOMPARE(bench.admin->rightsOnRows(ours + jobs)->mayAct, true);
        VERIFY_DONE(bench.admin->releaseEntry(jobs.first(), u"r"_s));

        bench.become({});
        const auto nobodys = bench.admin->rightsOnRows(ours);
        QCOMPARE(nobodys->mayAct, false);
        VERIFY_STARTS(nobodys->grantToAct, u"GRANT lockscope_operator TO ");
    }

    void aCopiedStatementDoesExactlyWhatItSays()
    {
        Bench bench;
        test::Session ann(server(), bench.profile.url);
        test::Session bob(server(), bench.profile.url);
        auto reused = bench.shown(bob.id());
        reused.started.us -= 1;
        bench.run(endByHand(Engine::Postgres, reused));
        QVERIFY(bob.run(u"SELECT 1"_s));
        bench.run(endByHand(Engine::Postgres, bench.shown(ann.id())));
        QVERIFY(waitUntil([&] { return !bench.snapshot().session(ann.id()); }));
        QVERIFY(bob.run(u"SELECT 1"_s));

        QVERIFY(bench.sleeps(bob));
        bench.run(cancelByHand(Engine::Postgres, bench.shown(bob.id())));
        QVERIFY(!bob.wait());
        QVERIFY(bob.run(u"SELECT 1"_s));

        const QString odd = u"it's \\ {fencing}\n$(x); DELETE FROM lockscope.lock_entry; --"_s;
        bench.insertEntry(u"other"_s, u"t0"_s);
        bench.run(
            u"INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES (%1, 't', clock_timestamp() + interval '1 h')"_s
                .arg(textLiteral(Engine::Postgres, odd)));
        const auto entry = entryNamed(bench.snapshot(), odd);
        QCOMPARE(entry.name, odd);
        auto earlier = entry;
        earlier.fencing += 100;
        bench.run(releaseByHand(bench.profile, earlier));
        QCOMPARE(bench.snapshot().entries.size(), 2u);
        bench.run(purgeByHand(bench.profile, {entry})); // it is not stale
        QCOMPARE(bench.snapshot().entries.size(), 2u);
        bench.run(releaseByHand(bench.profile, entry));
        QCOMPARE(bench.snapshot().entries.size(), 1u);
    }

    void sqliteFilesLikewise()
    {
        const db::ServerProfile profile = profileOf(freshFile());
        const auto connection = openFile(profile.url);
        ServerAdmin admin(*connection, profile);
        QVERIFY(db::installSchema(*connection));
        const auto insert = [&](const QString& name, qint64 ends) {
            QVERIFY(runSql(*connection,
                u"INSERT INTO lockscope_lock_entry (name, token, fencing, acquired_at, expires_at, owner) VALUES ('%1', 't', 1, 1, %2, 'ann')"_s
                    .arg(name)
                    .arg(ends)));
        };
        insert(u"a"_s, 2);
        insert(u"b"_s, 9'000'000'000'000'000);
        auto shown = entryNamed(*snapshotOf(profile), u"b"_s);
        auto wrong = shown;
        wrong.fencing = 4711;
        VERIFY_FAILS(ErrorKind::Changed, admin.releaseEntry(wrong, u"r"_s));
        QVERIFY(admin.releaseEntry(shown, u"r"_s));
        const auto preview = admin.previewPurge();
        QVERIFY(preview);
        QCOMPARE(preview->size(), 1);
        QCOMPARE(admin.rightsOnRows(*preview)->mayAct, true);
        QVERIFY(admin.purgeStale(*preview, u"r"_s));
        QVERIFY(snapshotOf(profile)->entries.empty());
        const auto audit = admin.audit();
        QVERIFY(audit);
        QCOMPARE(audit->size(), 3);
        QCOMPARE(audit->at(0).outcome, u"done"_s);
        QVERIFY(audit->at(2).outcome.startsWith(u"changed meanwhile"));
        VERIFY_FAILS(ErrorKind::Unsupported, admin.endSession({}, u"r"_s));
    }
};

LOCKSCOPE_TEST(tst_ServerAdmin)

} // namespace tst_ServerAdmin
#include "tst_ServerAdmin.moc"
