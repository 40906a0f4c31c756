// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
// Every kind of lock under every setting that decides about locks: the same outcomes, or a refusal that names
// the setting; and never a grant without its number.
#include "tests/support/PgBouncer.h"
#include "tests/support/Presets.h"
#include "tests/support/TestProgram.h"

namespace tst_LockSettings {

using namespace lockscope;
using namespace lockscope::test;
using locks::LockKind;
using locks::Outcome;

constexpr auto server = &TestServer::shared;

class tst_LockSettings : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyKindOfLock_data()
    {
        addColumns<LockCase, QString, QString>("kind", "name", "value");
        for (const LockCase& kind : lockCases)
            for (const auto& [name, value] : std::initializer_list<std::pair<const char*, const char*>>{
                     {"default_transaction_isolation", "repeatable read"},
                     {"default_transaction_isolation", "serializable"}, {"transaction_timeout", "700"},
                     {"session_replication_role", "replica"}, {"lock_timeout", "1"},
                     {"statement_timeout", "700"}, {"idle_in_transaction_session_timeout", "300"},
                     {"idle_session_timeout", "300"}, {"default_transaction_read_only", "on"},
                     {"default_transaction_deferrable", "on"}, {"synchronous_commit", "off"},
                     {"plan_cache_mode", "force_generic_plan"}, {"standard_conforming_strings", "off"},
                     {"exit_on_error", "on"}, {"restrict_nonsystem_relation_kind", "view, foreign-table"}})
                QTest::addRow("%s, %s %s", kind.name, name, value)
                    << kind << QString::fromLatin1(name) << QString::fromLatin1(value);
    }
    void everyKindOfLock()
    {
        FETCH(LockCase, kind, QString, name, QString, value);
        static const db::ServerUrl url = asProgram(server().freshDatabase());
        static const db::ServerUrl ofBoss = server().freshDatabase();
        static QMap<QString, QString> expected;
        const bool needsRight = name == u"session_replication_role";
        const db::ServerUrl& used = needsRight ? ofBoss : url;
        QString& without = expected[QString::fromLatin1(kind.name)];
        if (without.isEmpty())
            without = locking(url, kind);
        if (applied(used, {{name, value}}).isEmpty())
            QSKIP("This server does not know it.");
        const bool takesTime = name.endsWith(u"timeout");
        const QString text = locking(used, kind, takesTime ? 900ms : 0ms);
        resetAll(used);
        QCOMPARE(text, without);
    }

    // There everything is set with each transaction, except for the settings of its beginning.
    void behindAPooler_data()
    {
        addColumns<QString, QString>("name", "value");
        QTest::addColumn<QString>("refusal"); // of the lock table; a locked key may need to be written, too
        const auto row = [](const char* name, const char* value, const QString& refusal = {}) {
            QTest::addRow("%s", name) << QString::fromLatin1(name) << QString::fromLatin1(value) << refusal;
        };
        row("default_transaction_isolation", "serializable", u"default_transaction_isolation"_s);
        row("default_transaction_read_only", "on", u"default_transaction_read_only"_s);
        row("session_replication_role", "replica");
        row("lock_timeout", "1");
        row("statement_timeout", "700");
        row("transaction_timeout", "700");
        row("idle_in_transaction_session_timeout", "300");
        row("synchronous_commit", "off");
        row("standard_conforming_strings", "off");
        row("exit_on_error", "on");
        row("restrict_nonsystem_relation_kind", "view, foreign-table");
    }
    void behindAPooler()
    {
        SKIP_FOR(PgBouncer::reasonAgainst());
        FETCH(QString, name, QString, value, QString, refusal);
        const db::ServerUrl url = server().freshDatabase();
        const PgBouncer pooler(server(), PgBouncer::Mode::Transaction, 4);
        const db::ServerUrl pooled = pooler.before(url);
        for (const LockCase& kind : lockCases) // makes what they need
            locking(url, kind);
        if (applied(url, {{name, value}}).isEmpty())
            QSKIP("This server does not know it.");
        for (const LockCase& kind : lockCases) {
            if (kind.kind == LockKind::Application && kind.owner == LockOwner::Session)
                continue;
            const QString text = locking(pooled, kind, name.endsWith(u"timeout") ? 900ms : 0ms);
            const bool isRefused = !refusal.isEmpty() && text.contains(refusal);
            QVERIFY(isRefused || kind.kind != LockKind::Table || refusal.isEmpty());
            QVERIFY2(isRefused || text.startsWith(u"granted, "_s),
                qPrintable(u"%1: %2"_s.arg(QString::fromLatin1(kind.name), text)));
            QVERIFY2(!text.contains(u"failed"_s) || !refusal.isEmpty(), qPrintable(text));
        }
        resetAll(url);
        QCOMPARE(ask(*server().connect(url), u"SELECT count(*)::text FROM lockscope.lock_entry"_s), u"0"_s);
    }

    void aReplicaWithoutTheRightIsRefused()
    {
        const db::ServerUrl url = asProgram(server().freshDatabase());
        QCOMPARE(applied(url, {{u"session_replication_role"_s, u"replica"_s}}).size(), 1);
        const auto refused = server().at(url).connect();
        VERIFY_FAILS(ErrorKind::Permission, refused);
        VERIFY_CONTAINS(refused.error().toString(), u"session_replication_role"_s);
        QVERIFY(refused.error().hint.contains(u"RESET"_s));
        QVERIFY(server().at(url).connect(db::Purpose::Monitor)); // a monitor needs no trigger
        resetAll(url);
    }

    void aGrantIsOnDiskBeforeItIsReported()
    {
        const db::ServerUrl url = server().freshDatabase();
        const auto show = [&](db::Purpose purpose) {
            return ask(**server().at(url).connect(purpose), u"SHOW synchronous_commit"_s);
        };
        applied(url, {{u"synchronous_commit"_s, u"off"_s}});
        QCOMPARE(show(db::Purpose::Lock), u"on"_s);
        QCOMPARE(show(db::Purpose::Admin), u"on"_s);
        applied(url, {{u"synchronous_commit"_s, u"remote_apply"_s}});
        QCOMPARE(show(db::Purpose::Lock), u"remote_apply"_s);
        resetAll(url);
        // Another session takes one by plain SQL.
        const auto other = server().connect(url);
        QVERIFY(other->executeScript("SET synchronous_commit = off"));
        QVERIFY(other->begin());
        QVERIFY(runSql(*other,
            u"INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES ('n', 't', now() + interval '1 h')"_s));
        QCOMPARE(ask(*other, u"SHOW synchronous_commit"_s), u"on"_s);
        QVERIFY(other->commit());
        QCOMPARE(ask(*other, u"SHOW synchronous_commit"_s), u"off"_s);
    }

    void plainSqlAsAReplicaGetsItsNumber()
    {
        const db::ServerUrl url = server().freshDatabase();
        const auto other = server().connect(url);
        QVERIFY(other->executeScript("SET session_replication_role = replica"));
        const QString taken = ask(*other,
            u"SELECT fencing FROM lockscope.acquire_lock('n', 't', 60000000, false, 9223372036854775807, '', '', '', 1)"_s);
        QVERIFY2(taken.toLongLong() >= 1, qPrintable(taken));
        const auto next = server().connect(url);
        QVERIFY(
            ask(*next,
                u"INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES ('m', 't', now() + interval '1 h') RETURNING fencing"_s)
                .toLongLong()
            > taken.toLongLong());
    }

    void noGrantWithoutANumber_data()
    {
        addRows<bool>("isChecked", {{"the table refuses it", true}, {"an older table", false}});
    }
    void noGrantWithoutANumber()
    {
        QFETCH(bool, isChecked);
        const db::ServerUrl url =
            server().freshDatabase(u"ALTER TABLE lockscope.lock_entry DISABLE TRIGGER lock_entry_taken"_s);
        if (!isChecked)
            server().run(url, u"ALTER TABLE lockscope.lock_entry DROP CONSTRAINT lock_entry_numbered"_s);
        const auto connection = server().connect(url);
        const auto strategy = *locks::LockStrategy::create(LockKind::Table, *connection);
        const auto refused = strategy->acquire({.name = u"n"_s});
        QVERIFY(!refused);
        if (!isChecked)
            QVERIFY2(
                refused.error().what.contains(u"fencing number"_s), qPrintable(refused.error().toString()));
        QCOMPARE(ask(*connection, u"SELECT count(*)::text FROM lockscope.lock_entry"_s), u"0"_s);
    }

    // The caller's own transaction keeps its settings: the lock excludes others all the same, or there is an
    // error.
    void aTransactionOfTheCallers_data()
    {
        addColumns<LockCase, QString>("kind", "isolation");
        for (const LockCase& kind : lockCases)
            for (const QString& isolation : {u"REPEATABLE READ"_s, u"SERIALIZABLE"_s})
                if (kind.owner == LockOwner::Transaction)
                    QTest::addRow("%s, %s", kind.name, qPrintable(isolation)) << kind << isolation;
    }
    void aTransactionOfTheCallers()
    {
        FETCH(LockCase, kind, QString, isolation);
        const db::ServerUrl url = server().freshDatabase();
        const auto ann = server().connect(url);
        const auto bob = server().connect(url);
        const auto first = *locks::LockStrategy::create(kind.kind, *ann);
        const auto second = *locks::LockStrategy::create(kind.kind, *bob);
        locks::AcquireRequest request;
        request.name = u"n"_s;
        request.owner = kind.owner;
        QVERIFY(first->prepare(request.name));
        QVERIFY(ann->executeScript("BEGIN ISOLATION LEVEL " + isolation.toLatin1()));
        QVERIFY(runSql(*ann, u"SELECT 1"_s));
        auto held = locks::acquire(*first, request);
        VERIFY_DONE(held);
        QCOMPARE(held->outcome, Outcome::Granted);
        QCOMPARE(locks::acquire(*second, request)->outcome, Outcome::Denied);
        QVERIFY(held->grant.isHeld());
        QVERIFY(ann->commit());
        QCOMPARE(locks::acquire(*second, request)->outcome, Outcome::Granted);
    }

    // The server frees a transaction's locks when it fails.
    void aFailedTransactionHasLostItsLock()
    {
        const db::ServerUrl url = server().freshDatabase();
        const auto ann = server().connect(url);
        const auto bob = server().connect(url);
        const auto first = *locks::LockStrategy::create(LockKind::LockedKey, *ann);
        const auto second = *locks::LockStrategy::create(LockKind::LockedKey, *bob);
        locks::AcquireRequest request;
        request.name = u"n"_s;
        request.owner = LockOwner::Transaction;
        auto held = *locks::acquire(*first, request);
        QVERIFY(held.grant.beat());
        QVERIFY(!runSql(*ann, u"SELECT 1 / 0"_s));
        QCOMPARE(locks::acquire(*second, request)->outcome, Outcome::Granted);
        VERIFY_FAILS(ErrorKind::Changed, held.grant.beat());
    }

    void aLockTableNeedsReadCommitted()
    {
        const db::ServerUrl url = server().freshDatabase();
        const auto ann = server().connect(url);
        QVERIFY(ann->executeScript("SET default_transaction_isolation = serializable"));
        const auto refused = (*locks::LockStrategy::create(LockKind::Table, *ann))->acquire({.name = u"n"_s});
        QVERIFY(!refused);
        QVERIFY(refused.error().toString().contains(u"READ COMMITTED"_s));
        QCOMPARE(ask(*ann, u"SELECT count(*)::text FROM lockscope.lock_entry"_s), u"0"_s);
    }
};

LOCKSCOPE_TEST_AT_ONCE(tst_LockSettings)

} // namespace tst_LockSettings
#include "tst_LockSettings.moc"
