// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/db/SchemaInstaller.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

#include <QTemporaryDir>
#include <QTest>

#include <latch>
#include <thread>

namespace tst_SchemaInstaller {

using namespace lockscope;
using namespace lockscope::db;
using lockscope::test::sqlStatement;
using lockscope::test::TestServer;
using namespace Qt::StringLiterals;

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
        QVERIFY2(first, first ? "" : qPrintable(first.error().toString()));
        QCOMPARE(first->before, 0);
        QCOMPARE(first->after, currentSchemaVersion(connection->engine()));
        QCOMPARE(installSchema(*connection).value().before, currentSchemaVersion(connection->engine()));
        QCOMPARE(
            installedSchemaVersion(*connection).value_or(-1), currentSchemaVersion(connection->engine()));
        const auto removed = uninstallSchema(*connection);
        QVERIFY2(removed, removed ? "" : qPrintable(removed.error().toString()));
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
        QVERIFY(outsider->execute(sqlStatement(u"SELECT pg_advisory_lock(1282368363, 0)"_s)));
        const auto connection = server.connect(url);
        const auto installed = installSchema(*connection);
        QVERIFY2(installed, installed ? "" : qPrintable(installed.error().toString()));
        const auto removed = uninstallSchema(*connection);
        QVERIFY2(removed, removed ? "" : qPrintable(removed.error().toString()));
    }

    void manyMayInstallBesideWhoeverKeepsThatLock()
    {
        auto& server = TestServer::shared();
        const ServerUrl url = server.freshDatabase(TestServer::Schema::None);
        const auto outsider = server.connect(server.asRole(url));
        QVERIFY(outsider->execute(sqlStatement(u"SELECT pg_advisory_lock(1282368363, 0)"_s)));
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

    void refusesANewerSchema_data() { engines(); }
    void refusesANewerSchema()
    {
        const auto connection = connect(emptyServer());
        QVERIFY(installSchema(*connection));
        const QString table = connection->engine() == Engine::Sqlite ? u"lockscope_schema_version"_s
                                                                     : u"lockscope.schema_version"_s;
        QVERIFY(connection->execute(sqlStatement(u"UPDATE "_s + table + u" SET version = 99"_s)));
        for (const Error& error :
            {installSchema(*connection).error(), uninstallSchema(*connection).error()}) {
            QCOMPARE(error.kind, ErrorKind::Unsupported);
            QVERIFY(error.what.contains(u"99"_s));
            QVERIFY(error.hint.contains(u"newer"_s));
        }
    }

    void bringsTheFirstVersionUpToDate()
    {
        const auto connection = connect(emptyPostgres());
        QVERIFY(connection->executeScript(Statement::get("test/postgres_v1.sql").sql()));
        QCOMPARE(installedSchemaVersion(*connection).value_or(-1), 1);
        QVERIFY(connection->execute(sqlStatement(
            u"INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES ('kept', 't', 'infinity')"_s)));
        const auto migrated = installSchema(*connection);
        QVERIFY2(migrated, migrated ? "" : qPrintable(migrated.error().toString()));
        QCOMPARE(migrated->before, 1);
        QCOMPARE(migrated->after, 4);
        // Its endless lease ends some day, or nothing could be reckoned with it.
        QCOMPARE(connection
                     ->execute(sqlStatement(u"SELECT FROM lockscope.lock_entry WHERE isfinite(expires_at)"_s))
                     .value_or(-1),
            1);
        QCOMPARE(connection->execute(sqlStatement(u"SELECT FROM lockscope.holders WHERE name = 'kept'"_s))
                     .value_or(-1),
            1);
        QVERIFY(uninstallSchema(*connection));
    }

    void removesTheSurrogateTablesThatItMade()
    {
        const auto connection = connect(emptyPostgres());
        QVERIFY(installSchema(*connection));
        QVERIFY(connection->execute(sqlStatement(u"SELECT lockscope.add_surrogate_table('odd \"name\"')"_s)));
        const auto removed = uninstallSchema(*connection);
        QVERIFY2(removed, removed ? "" : qPrintable(removed.error().toString()));
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
        QVERIFY(second->execute(
            sqlStatement(u"SELECT FROM lockscope.holders WHERE has_table_privilege('lockscope_reader', "
                         "'lockscope.holders', 'SELECT')"_s)));
    }

    void removesNothingOfOthers()
    {
        const auto connection = connect(emptyPostgres());
        QVERIFY(installSchema(*connection));
        QVERIFY(connection->executeScript("CREATE TABLE lockscope.not_ours (a int)"));
        QVERIFY(!uninstallSchema(*connection));
        QCOMPARE(
            installedSchemaVersion(*connection).value_or(-1), currentSchemaVersion(connection->engine()));
    }

    void whoMayOnlyUseTheSchemaFindsItInstalled()
    {
        const ServerUrl url = emptyPostgres();
        QVERIFY(installSchema(*connect(url)));
        const ServerUrl user = TestServer::shared().asRole(url,
            u"GRANT USAGE ON SCHEMA lockscope TO {role}; GRANT SELECT ON lockscope.schema_version TO {role}"_s);
        const auto installed = installSchema(*connect(user));
        QVERIFY2(installed, installed ? "" : qPrintable(installed.error().toString()));
    }

    void saysWhichRightIsMissing()
    {
        const ServerUrl stranger = TestServer::shared().asRole(emptyPostgres());
        const auto refused = installSchema(*connect(stranger));
        QVERIFY(!refused);
        QCOMPARE(refused.error().kind, ErrorKind::Permission);
        QVERIFY(refused.error().hint.contains(u"GRANT"_s));
    }

private:
    static void engines()
    {
        QTest::addColumn<Engine>("engine");
        QTest::newRow("PostgreSQL") << Engine::Postgres;
        QTest::newRow("SQLite") << Engine::Sqlite;
    }
    static ServerUrl emptyPostgres() { return TestServer::shared().freshDatabase(TestServer::Schema::None); }
    ServerUrl emptyServer() const
    {
        QFETCH(Engine, engine);
        if (engine == Engine::Postgres)
            return emptyPostgres();
        ServerUrl url;
        url.engine = Engine::Sqlite;
        url.database = m_directory->filePath(u"locks.db"_s);
        return url;
    }
    static std::unique_ptr<Connection> connect(const ServerUrl& url)
    {
        ConnectOptions options;
        options.createFile = true;
        return TestServer::shared().connect(url, options);
    }

    std::unique_ptr<QTemporaryDir> m_directory;
};

LOCKSCOPE_TEST(tst_SchemaInstaller)

} // namespace tst_SchemaInstaller
#include "tst_SchemaInstaller.moc"
