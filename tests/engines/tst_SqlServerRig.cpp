// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Tests that run against the server that LOCKSCOPE_TEST_SQLSERVER names leave it as it was: here it names the
// double in another process.

#include "tests/support/LockRig.h"
#include "tests/support/SqlServerRig.h"
#include "tests/support/TestProgram.h"

namespace tst_SqlServerRig {

using namespace lockscope;
using namespace lockscope::locks;
using namespace lockscope::test;

constexpr auto variable = "LOCKSCOPE_TEST_SQLSERVER";

/// Another program's server, which the tests use for as long as this object exists.
class OtherServer {
public:
    explicit OtherServer(const QStringList& arguments = {})
    {
        m_process.start(programPath("sqlserver-double"), arguments);
        while (!m_process.canReadLine())
            if (!m_process.waitForReadyRead(60'000))
                qFatal("the double does not start");
        qputenv(variable, m_process.readLine().trimmed());
    }
    ~OtherServer()
    {
        qunsetenv(variable);
        m_process.closeWriteChannel();
        m_process.waitForFinished();
    }
    Q_DISABLE_COPY_MOVE(OtherServer)

private:
    QProcess m_process;
};

static QStringList databases(const SqlServerRig& rig)
{
    QStringList names;
    [&] {
        VERIFY_DONE(rig.connect()->execute(db::Statement::get("test/sqlserver/rig/databases"),
            {u"lockscope_test_"_s}, [&names](const db::Row& row) { names << row.text(0); }, {}));
    }();
    return names;
}

static qint64 idOfAnEndedProcess()
{
    QProcess process;
    process.start(programPath("sqlserver-double"), {u"--help"_s});
    process.waitForStarted();
    const qint64 id = process.processId();
    process.waitForFinished();
    return id;
}

class SqlServerRigTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_real = qgetenv(variable);
        qputenv("LOCKSCOPE_PASSWORD", "any");
    }
    void cleanupTestCase()
    {
        if (!m_real.isEmpty())
            qputenv(variable, m_real);
    }

    void databasesComeAndGoWithTheirTests()
    {
        const OtherServer server;
        const SqlServerRig witness;
        QVERIFY(SqlServerRig::isReal());
        const QStringList before = databases(witness);
        QCOMPARE(before, QStringList{witness.url().database});
        {
            const LockRig rig({Engine::SqlServer, LockKind::Table});
            QCOMPARE(databases(witness).size(), 2);
        }
        QCOMPARE(databases(witness), before);
    }

    void locksOfTwoDatabasesDontMeet()
    {
        const OtherServer server;
        const LockRig rig({Engine::SqlServer, LockKind::Table});
        const LockRig otherRig({Engine::SqlServer, LockKind::Table});
        Contender one(rig);
        Contender two(rig);
        Contender stranger(otherRig);
        QVERIFY(one.acquire(rig.requestFor(u"n"_s)).isGranted());
        QVERIFY(stranger.acquire(otherRig.requestFor(u"n"_s)).isGranted());
        auto waiting = two.ask(rig.requestFor(u"n"_s, milliseconds(-1)));
        QTRY_COMPARE(rig.waiters(u"n"_s), 1);
        QCOMPARE(otherRig.waiters(u"n"_s), 0);
        QVERIFY(one.release());
        QCOMPARE(soon(std::move(waiting)).outcome, Outcome::GrantedAfterWait);
    }

    void crashedTestsLeaveNothingForLong()
    {
        const OtherServer server;
        const SqlServerRig witness;
        const QString ours = witness.url().database;
        const QString machine = ours.section(u'_', 0, 2);
        const auto connection = witness.connect();
        const auto left = [&](const QString& name) {
            QVERIFY(connection->execute(db::Statement::filled("test/sqlserver/rig/create_database",
                {{QLatin1StringView("name"), connection->dialect().quoted(name)}})));
        };
        const QString crashed = u"%1_%2_1"_s.arg(machine).arg(idOfAnEndedProcess());
        const QString runs = u"%1_%2_99"_s.arg(machine).arg(QCoreApplication::applicationPid());
        const QString elsewhere = u"lockscope_test_00000000_1_1"_s;
        left(crashed);
        left(runs);
        left(elsewhere);
        QVERIFY(databases(witness).contains(crashed));
        const SqlServerRig next;
        QStringList expected{ours, runs, elsewhere, next.url().database};
        expected.sort();
        QCOMPARE(databases(witness), expected);
    }

    void withoutTheRightToCreateOneTheGivenDatabaseIsBorrowed()
    {
        const OtherServer server({u"--no-databases"_s});
        const auto url = db::ServerUrl::parse(qEnvironmentVariable(variable)).value();
        const auto connection = db::Server::at(url, db::fixedPassword(u"any"_s)).connect().value();
        const auto installed = [&connection] {
            bool is = false;
            orDie(connection->execute(db::Statement::get("sqlserver/schema/exists"), {},
                [&is](const db::Row& row) { is = row.boolean(0); }));
            return is;
        };
        QVERIFY(!installed());
        // The second time after a test that crashed in the middle.
        for (const bool isMarked : {false, true}) {
            if (isMarked) {
                QVERIFY(connection->execute(db::Statement::get("test/sqlserver/rig/mark")));
                QVERIFY(connection->executeScript(db::Statement::get("sqlserver/install.sql").sql()));
            }
            const LockRig rig({Engine::SqlServer, LockKind::Table});
            QCOMPARE(rig.url().database, url.database);
            QVERIFY(installed());
            Contender one(rig);
            QVERIFY(one.acquire(rig.requestFor(u"n"_s)).isGranted());
        }
        QVERIFY(!installed());
    }

private:
    QByteArray m_real;
};

LOCKSCOPE_TEST(SqlServerRigTest)

} // namespace tst_SqlServerRig
#include "tst_SqlServerRig.moc"
