// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The audit records who did what to whose lock, without anything that the person concerned could choose.
// PostgreSQL.

#include "core/admin/ServerAdmin.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_AuditTrail {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;

const QString takeSql =
    u"SELECT fencing::text FROM lockscope.acquire_lock('n', 'secret', 60000000, false, 1, 'ann', 'h', 'p', 1)"_s;
const QString recordSql = u"SELECT lockscope.audit_act('o', 'end session', 't', 'r', '{}', 'begun')"_s;

class AuditTrail : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_database = server().freshDatabase();
        m_ann = asOperator();
        m_bob = asOperator();
        m_witness = server().connect(m_database);
    }
    void cleanup() { m_witness.reset(); }

    void whoIsTheLogin()
    {
        const auto bob = server().connect(m_bob);
        QVERIFY(runSql(*bob, recordSql));
        QCOMPARE(see(u"SELECT who FROM lockscope.audit_log"_s), m_bob.user);
        QCOMPARE(see(u"SELECT (clock_timestamp() - at < interval '1 min')::text FROM lockscope.audit_log"_s),
            u"true"_s);
    }

    void nobodyWritesThereByHand_data()
    {
        QTest::addColumn<QString>("sql");
        row("insert",
            "INSERT INTO lockscope.audit_log (who, origin, act, target, reason, before, outcome) VALUES ('eve', 'o', 'a', 't', 'r', '{}', 'done')");
        row("insert with an id",
            "INSERT INTO lockscope.audit_log (id, who, origin, act, target, reason, before, outcome) OVERRIDING SYSTEM VALUE VALUES (1, 'eve', 'o', 'a', 't', 'r', '{}', 'done')");
        row("update", "UPDATE lockscope.audit_log SET who = 'eve'");
        row("delete", "DELETE FROM lockscope.audit_log");
        row("start again", "SELECT setval('lockscope.audit_log_id_seq', 1)");
    }
    void nobodyWritesThereByHand()
    {
        QFETCH(QString, sql);
        VERIFY_FAILS(ErrorKind::Permission, runSql(*server().connect(m_bob), sql));
    }

    void anOutcomeIsReportedOnceByWhoActed()
    {
        const auto ann = server().connect(m_ann);
        const auto bob = server().connect(m_bob);
        QVERIFY(runSql(*bob, recordSql));
        const QString id = see(u"SELECT max(id) FROM lockscope.audit_log"_s);
        const auto tell = [&id](Connection& connection, const QString& outcome) {
            return ask(
                connection, u"SELECT lockscope.audit_outcome(%1, NULL, '%2')::text"_s.arg(id, outcome));
        };
        QCOMPARE(tell(*ann, u"nothing happened"_s), u"false"_s);
        QCOMPARE(see(u"SELECT outcome FROM lockscope.audit_log"_s), u"begun"_s);
        QCOMPARE(tell(*bob, u"done"_s), u"true"_s);
        QCOMPARE(tell(*bob, u"nothing happened"_s), u"false"_s);
        QCOMPARE(see(u"SELECT outcome FROM lockscope.audit_log"_s), u"done"_s);
    }

    void anOutcomeThatComesMuchLaterIsNone()
    {
        const auto bob = server().connect(m_bob);
        QVERIFY(runSql(*bob, recordSql));
        QVERIFY(runSql(*m_witness, u"UPDATE lockscope.audit_log SET at = at - interval '2 h'"_s));
        QCOMPARE(
            ask(*bob, u"SELECT lockscope.audit_outcome(max(id), NULL, 'done')::text FROM lockscope.audit"_s),
            u"false"_s);
    }

    /// The record of an action stays, even if its outcome is unknown.
    void aSessionThatWasEndedIsOnRecordWhateverFollows()
    {
        const auto victim = server().connect(m_ann);
        server().run(
            m_database, u"ALTER FUNCTION lockscope.audit_outcome(bigint, jsonb, text) RENAME TO gone"_s);
        server().run(m_database, u"GRANT pg_signal_backend, pg_read_all_stats TO "_s + m_bob.user);
        lockscope::Session shown;
        shown.id = victim->sessionId();
        shown.started = ServerTime{ask(*m_witness,
            u"SELECT (extract(epoch FROM backend_start) * 1000000)::bigint::text FROM pg_stat_activity WHERE pid = %1"_s
                .arg(shown.id.value))
                                       .toLongLong()};
        const auto connection = server().connect(m_bob);
        const ServerProfile profile = profileOf(m_bob);
        const auto ended = admin::ServerAdmin(*connection, profile).endSession(shown, u"stuck"_s);
        QVERIFY(!ended);
        QVERIFY2(ended.error().what.contains(u"(done)"_s), qPrintable(ended.error().toString()));
        QVERIFY(waitUntil([&] { return !runSql(*victim, u"SELECT 1"_s); }));
        QCOMPARE(see(u"SELECT who || ' ' || act || ' ' || outcome FROM lockscope.audit_log"_s),
            m_bob.user + u" end session begun"_s);
    }

    void freeingWhatAnotherLoginHoldsIsOnRecord_data()
    {
        addRows<QString>("sql",
            {{"with a token that was seen", u"SELECT lockscope.release_lock('n', 'secret')"_s},
                {"by plain SQL", u"DELETE FROM lockscope.lock_entry WHERE name = 'n'"_s},
                {"by leaving the queue", u"SELECT lockscope.leave_queue('n', 'secret')"_s}});
    }
    void freeingWhatAnotherLoginHoldsIsOnRecord()
    {
        QFETCH(QString, sql);
        const QString fencing = ask(*server().connect(m_ann), takeSql);
        QVERIFY(runSql(*server().connect(m_bob), sql));
        QCOMPARE(see(u"SELECT count(*) FROM lockscope.lock_entry"_s), u"0"_s);
        QCOMPARE(see(u"SELECT who || '|' || act || '|' || fencing FROM lockscope.audit_log"_s),
            m_bob.user + u"|release lock|"_s + fencing);
        QCOMPARE(see(u"SELECT before->>'login' FROM lockscope.audit_log"_s), m_ann.user);
        QCOMPARE(see(u"SELECT (before ? 'token')::text FROM lockscope.audit_log"_s), u"false"_s);
    }

    void takingOverWhatAnotherLoginHoldsIsOnRecord_data()
    {
        addRows<QString>("sql",
            {{"another token", u"UPDATE lockscope.lock_entry SET token = 'mine'"_s},
                {"its lease cut short",
                    u"UPDATE lockscope.lock_entry SET expires_at = clock_timestamp() - interval '1 s'"_s}});
    }
    void takingOverWhatAnotherLoginHoldsIsOnRecord()
    {
        QFETCH(QString, sql);
        const QString fencing = ask(*server().connect(m_ann), takeSql);
        const auto bob = server().connect(m_bob);
        QVERIFY(runSql(*bob, sql));
        QVERIFY(runSql(*bob, u"DELETE FROM lockscope.lock_entry"_s));
        QCOMPARE(
            see(u"SELECT string_agg(who || '|' || fencing || '|' || reason, ';') FROM lockscope.audit_log"_s),
            u"%1|%2|none was given: its row was changed"_s.arg(m_bob.user, fencing));
    }

    void nobodyHasTheLastWordOnWhatTheServerSaw_data()
    {
        addRows<QString>("first",
            {{"after the act", u"SELECT 1"_s},
                {"and before it",
                    u"SELECT lockscope.audit_act('o', 'note', 'nothing', '-', '{\"fencing\": {fencing}}', 'begun')"_s}});
    }
    void nobodyHasTheLastWordOnWhatTheServerSaw()
    {
        QFETCH(QString, first);
        const QString fencing = ask(*server().connect(m_ann), takeSql);
        const auto bob = server().connect(m_bob);
        QVERIFY(bob->executeScript((u"BEGIN; "_s + first.replace(u"{fencing}"_s, fencing)
            + u"; DELETE FROM lockscope.lock_entry; SELECT lockscope.audit_outcome(max(id), '{}', 'refused') FROM lockscope.audit_log; COMMIT"_s)
                                       .toUtf8()));
        QCOMPARE(
            see(u"SELECT string_agg(who || '|' || outcome || '|' || (before->>'login'), ';') FROM lockscope.audit_log WHERE act = 'release lock'"_s),
            u"%1|done|%2"_s.arg(m_bob.user, m_ann.user));
    }

    void whoHadItStaysOnRecord()
    {
        ask(*server().connect(m_ann), takeSql);
        const auto bob = server().connect(m_bob);
        QVERIFY(runSql(*bob, u"UPDATE lockscope.lock_entry SET owner = 'bob', acquired_at = '1999-01-01'"_s));
        QCOMPARE(see(u"SELECT owner || extract(year FROM acquired_at) FROM lockscope.lock_entry"_s),
            u"ann"_s + see(u"SELECT extract(year FROM now())"_s));
    }

    void onesOwnAndTheStaleAreFreedWithoutARecord()
    {
        const auto ann = server().connect(m_ann);
        ask(*ann, takeSql);
        QCOMPARE(ask(*ann, u"SELECT lockscope.release_lock('n', 'secret')::text"_s), u"true"_s);
        ask(*ann, takeSql);
        QVERIFY(runSql(
            *ann, u"UPDATE lockscope.lock_entry SET expires_at = clock_timestamp() - interval '1 s'"_s));
        QVERIFY(runSql(*server().connect(m_bob), u"SELECT lockscope.purge_stale()"_s));
        QCOMPARE(see(u"SELECT count(*) FROM lockscope.lock_entry"_s), u"0"_s);
        QCOMPARE(see(u"SELECT count(*) FROM lockscope.audit_log"_s), u"0"_s);
    }

    void aForcedReleaseIsOneRecordWithWhatTheServerSaw()
    {
        const qint64 fencing = ask(*server().connect(m_ann), takeSql).toLongLong();
        const auto bob = server().connect(m_bob);
        LockTableEntry shown;
        shown.name = u"n"_s;
        shown.fencing = fencing;
        shown.party.owner = u"somebody else"_s; // what the operator claims that it was
        VERIFY_DONE(admin::ServerAdmin(*bob, {}).releaseEntry(shown, u"stuck"_s));
        QCOMPARE(see(u"SELECT count(*) FROM lockscope.audit_log"_s), u"1"_s);
        QCOMPARE(
            see(u"SELECT outcome || '|' || (before->>'owner') FROM lockscope.audit_log"_s), u"done|ann"_s);
    }

    void aReaderSeesNoTokens()
    {
        const auto reader =
            server().connect(server().asRole(m_database, u"GRANT lockscope_reader TO {role}"_s));
        ask(*server().connect(m_ann), takeSql);
        QVERIFY(!runSql(*reader, u"SELECT token FROM lockscope.lock_entry"_s));
        QVERIFY(!runSql(*reader, u"SELECT token FROM lockscope.lock_waiter"_s));
        QCOMPARE(ask(*reader, u"SELECT token_start FROM lockscope.lock_entry"_s), u"secr..."_s);
    }

private:
    static TestServer& server() { return TestServer::shared(); }
    ServerUrl asOperator() const
    {
        return server().asRole(m_database, u"GRANT lockscope_operator TO {role}"_s);
    }
    QString see(const QString& sql) const { return ask(*m_witness, sql); }

    ServerUrl m_database;
    ServerUrl m_ann;
    ServerUrl m_bob;
    std::unique_ptr<Connection> m_witness;
};

LOCKSCOPE_TEST(AuditTrail)

} // namespace tst_AuditTrail
#include "tst_AuditTrail.moc"
