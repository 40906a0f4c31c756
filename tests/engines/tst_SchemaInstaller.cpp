// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/admin/ServerAdmin.h"
#include "core/db/ConnectionCheck.h"
#include "core/db/SchemaInstaller.h"
#include "core/locks/LockStrategy.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

#include <latch>

namespace tst_SchemaInstaller {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;

class tst_SchemaInstaller : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_directory = std::make_unique<QTemporaryDir>(); }

    void installsOnceAndRemovesAll_data() { engines(); }
    void installsOnceAndRemovesAll()
    {
        const auto connection = connect(emptyServer());
        QCOMPARE(installedSchemaVersion(*connection).value_or(-1), 0);
        const auto first = installSchema(*connection);
        VERIFY_DONE(first);
        QCOMPARE(first->before, 0);
        QCOMPARE(first->after, schemaVersion);
        QCOMPARE(installSchema(*connection).value().before, schemaVersion);
        QCOMPARE(installedSchemaVersion(*connection).value_or(-1), schemaVersion);
        VERIFY_DONE(uninstallSchema(*connection));
        QCOMPARE(installedSchemaVersion(*connection).value_or(-1), 0);
        QVERIFY(uninstallSchema(*connection));
        QVERIFY(installSchema(*connection));
    }

    /// Anybody who may log in can take the lock by which installations take turns.
    void nobodyKeepsAnInstallationFromItsTurn()
    {
        auto& server = TestServer::shared();
        const ServerUrl url = server.freshDatabase(TestServer::Schema::None);
        const auto outsider = server.connect(server.asRole(url));
        QVERIFY(runSql(*outsider, u"SELECT pg_advisory_lock(1282368363, 0)"_s));
        const auto connection = server.connect(url);
        VERIFY_DONE(installSchema(*connection));
        VERIFY_DONE(uninstallSchema(*connection));
    }

    void manyMayInstallBesideWhoeverKeepsThatLock()
    {
        auto& server = TestServer::shared();
        const ServerUrl url = server.freshDatabase(TestServer::Schema::None);
        const auto outsider = server.connect(server.asRole(url));
        QVERIFY(runSql(*outsider, u"SELECT pg_advisory_lock(1282368363, 0)"_s));
        constexpr int many = 8;
        std::latch start(many);
        std::vector<QString> faults(many);
        {
            std::vector<std::jthread> threads;
            for (QString& fault : faults)
                threads.emplace_back([&] {
                    const auto connection = server.connect(url);
                    start.arrive_and_wait();
                    if (const auto installed = installSchema(*connection); !installed)
                        fault = installed.error().toString();
                });
        }
        for (const QString& fault : faults)
            QVERIFY2(fault.isEmpty(), qPrintable(fault));
    }

    void manyMayInstallAtOnce_data() { engines(); }
    void manyMayInstallAtOnce()
    {
        const ServerUrl url = emptyServer();
        constexpr int programs = 6;
        std::latch start(programs);
        std::vector<QString> errors(programs);
        {
            std::vector<std::jthread> threads;
            for (QString& error : errors)
                threads.emplace_back([&] {
                    const auto connection = connect(url);
                    start.arrive_and_wait();
                    if (const auto installed = installSchema(*connection); !installed)
                        error = installed.error().toString();
                });
        }
        for (const QString& error : errors)
            QCOMPARE(error, QString());
    }

    void refusesAnotherVersion_data()
    {
        QTest::addColumn<Engine>("engine");
        QTest::addColumn<QString>("change"); // of {table}
        QTest::addColumn<QString>("versionText");
        for (const int version : {0, 2, 99}) {
            const QString change = u"UPDATE {table} SET version = %1"_s.arg(version);
            const QString text = u"version %1"_s.arg(version);
            QTest::addRow("PostgreSQL, %d", version) << Engine::Postgres << change << text;
            QTest::addRow("SQLite, %d", version) << Engine::Sqlite << change << text;
        }
        const QString none = u"DELETE FROM {table}"_s;
        row("PostgreSQL, none", Engine::Postgres, none, "no version");
        row("SQLite, none", Engine::Sqlite, none, "no version");
        const QString more = u"INSERT INTO {table} VALUES (2, %1)"_s;
        row("PostgreSQL, two", Engine::Postgres, more.arg(u"now()"_s), "version 1, 2");
        row("SQLite, two", Engine::Sqlite, more.arg(0), "version 1, 2");
        row("PostgreSQL, text", Engine::Postgres, "ALTER TABLE {table} ALTER version TYPE text USING 'first'",
            "version first");
        row("SQLite, text", Engine::Sqlite,
            "DROP TABLE {table}; CREATE TABLE {table} (version); INSERT INTO {table} VALUES ('first')",
            "version first");
    }
    void refusesAnotherVersion()
    {
        FETCH(QString, change, QString, versionText);
        const auto connection = connect(emptyServer());
        QVERIFY(installSchema(*connection));
        const bool isFile = connection->engine() == Engine::Sqlite;
        change.replace(u"{table}"_s, isFile ? u"lockscope_schema_version"_s : u"lockscope.schema_version"_s);
        QVERIFY(connection->executeScript(change.toUtf8()));
        // An installation would make this again.
        QVERIFY(connection->executeScript(
            isFile ? "DROP TRIGGER lockscope_entry_insert" : "DROP FUNCTION lockscope.purge_stale()"));
        const QString what =
            u"Lockscope's schema has %1; this program knows version 1 only."_s.arg(versionText);
        for (const Error& error : {installSchema(*connection).error(), uninstallSchema(*connection).error(),
                 previewUninstall(*connection).error()}) {
            QCOMPARE(error.kind, ErrorKind::Unsupported);
            QCOMPARE(error.what, what);
            VERIFY_CONTAINS(error.hint, u"Use the Lockscope that installed it"_s);
        }
        const CheckStep step = checkSchema(*connection);
        QCOMPARE(step.outcome, CheckStep::Outcome::Note);
        QCOMPARE(step.finding, what);
        refusesToUse(*connection, what);
        // It can be installed by hand, too.
        if (!isFile) {
            const auto byHand = connection->executeScript(Statement::get("postgres/install.sql").sql());
            QVERIFY(!byHand);
            VERIFY_CONTAINS(byHand.error().toString(), u"this script installs version 1"_s);
        }
        QCOMPARE(ask(*connection,
                     isFile ? u"SELECT count(*) FROM sqlite_master WHERE name = 'lockscope_entry_insert'"_s
                            : u"SELECT count(*) FROM pg_proc WHERE proname = 'purge_stale'"_s),
            u"0"_s);
    }

    void removesTheSurrogateTablesThatItMade()
    {
        const auto connection = connect(emptyPostgres());
        QVERIFY(installSchema(*connection));
        QVERIFY(runSql(*connection, u"SELECT lockscope.add_surrogate_table('odd \"name\"')"_s));
        VERIFY_DONE(uninstallSchema(*connection));
    }

    void rolesStayWhileAnotherDatabaseNeedsThem()
    {
        const auto first = connect(emptyPostgres());
        const auto second = connect(emptyPostgres());
        QVERIFY(installSchema(*first));
        QVERIFY(installSchema(*second));
        QVERIFY(uninstallSchema(*first));
        const auto roles = sqlStatement(u"SELECT FROM pg_roles WHERE rolname LIKE 'lockscope\\_%'"_s);
        QCOMPARE(second->execute(roles).value_or(-1), 3);
        QVERIFY(runSql(*second,
            u"SELECT FROM lockscope.holders WHERE has_table_privilege('lockscope_reader', 'lockscope.holders', 'SELECT')"_s));
    }

    void removesNothingOfOthers()
    {
        const auto connection = connect(emptyPostgres());
        QVERIFY(installSchema(*connection));
        QVERIFY(connection->executeScript("CREATE TABLE lockscope.not_ours (a int)"));
        QVERIFY(!uninstallSchema(*connection));
        QCOMPARE(installedSchemaVersion(*connection).value_or(-1), schemaVersion);
    }

    void whoMayOnlyUseTheSchemaFindsItInstalled()
    {
        const ServerUrl url = emptyPostgres();
        QVERIFY(installSchema(*connect(url)));
        const ServerUrl user = TestServer::shared().asRole(url,
            u"GRANT USAGE ON SCHEMA lockscope TO {role}; GRANT SELECT ON lockscope.schema_version TO {role}"_s);
        VERIFY_DONE(installSchema(*connect(user)));
    }

    void saysWhichRightIsMissing()
    {
        const ServerUrl stranger = TestServer::shared().asRole(emptyPostgres());
        const auto refused = installSchema(*connect(stranger));
        VERIFY_FAILS(ErrorKind::Permission, refused);
        QVERIFY(refused.error().hint.contains(u"GRANT"_s));
    }

private:
    static void engines()
    {
        test::addRows<Engine>("engine", {{"PostgreSQL", Engine::Postgres}, {"SQLite", Engine::Sqlite}});
    }
    static ServerUrl emptyPostgres() { return TestServer::shared().freshDatabase(TestServer::Schema::None); }
    /// No lock is taken and nothing is purged or read where the columns may mean something else.
    static void refusesToUse(Connection& connection, const QString& what)
    {
        admin::ServerAdmin admin(connection, {});
        const auto strategy = locks::LockStrategy::create(locks::LockKind::Table, connection).value();
        for (const Error& error : {strategy->acquire({.name = u"n"_s}).error(), admin.previewPurge().error(),
                 admin.audit(1).error()}) {
            QCOMPARE(error.kind, ErrorKind::Unsupported);
            QCOMPARE(error.what, what);
        }
        // A session can be ended all the same: a file on this computer records it.
        const auto rights = admin.rights();
        VERIFY_DONE(rights);
        QCOMPARE(rights->audit, admin::ActRights::Audit::Missing);
    }
    ServerUrl emptyServer() const
    {
        QFETCH(Engine, engine);
        if (engine == Engine::Postgres)
            return emptyPostgres();
        return test::fileUrl(m_directory->filePath(u"locks.db"_s));
    }
    static std::unique_ptr<Connection> connect(const ServerUrl& url)
    {
        return TestServer::shared().connect(url, {.createFile = true});
    }

    std::unique_ptr<QTemporaryDir> m_directory;
};

LOCKSCOPE_TEST(tst_SchemaInstaller)

} // namespace tst_SchemaInstaller
#include "tst_SchemaInstaller.moc"
