// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// A role of the server that has one of our names and was made by somebody else, or belongs to somebody who
// may give it to others, gets nothing by an installation, unless it is named. PostgreSQL.

#include "core/db/ConnectionCheck.h"
#include "core/db/SchemaInstaller.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_ForeignRoles {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;

const QString makes = u"CREATE ROLE lockscope_operator;"_s;
const QString forges =
    makes + u"COMMENT ON ROLE lockscope_operator IS 'Made by Lockscope''s installation.';"_s;

static QStringList findings(Connection& connection)
{
    QStringList found;
    for (const CheckStep& step : checkRights(connection))
        if (step.outcome != CheckStep::Outcome::Good)
            found << step.finding;
    return found;
}

class ForeignRoles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_server = std::make_unique<TestServer>();
        m_server->removeSchema(); // with the roles of its first installation
        m_server->run(m_server->url(), u"CREATE ROLE mallory LOGIN CREATEROLE; CREATE ROLE app LOGIN"_s);
    }
    void cleanup() { m_server.reset(); }

    void isRefused_data()
    {
        addColumns<QString, QString, QString>("maker", "sql", "reason");
        const auto row = [](const char* name, const QString& maker, const QString& sql,
                             const QString& reason) { QTest::newRow(name) << maker << sql << reason; };
        row("somebody's own", u"mallory"_s, forges + u"GRANT lockscope_operator TO app"_s,
            u"app was made a member of lockscope_operator by mallory"_s);
        row("made for another purpose", {}, makes,
            u"does not say that an installation of Lockscope made it"_s);
        row("somebody may give it to others", {},
            forges + u"GRANT lockscope_operator TO mallory WITH ADMIN OPTION"_s,
            u"mallory may give lockscope_operator to anybody"_s);
        row("more by a role", {}, forges + u"GRANT pg_write_all_data TO lockscope_operator"_s,
            u"lockscope_operator is a member of pg_write_all_data"_s);
        row("more by a role of a role", {},
            forges
                + u"CREATE ROLE between; GRANT pg_read_all_data TO between; GRANT between TO lockscope_operator"_s,
            u"lockscope_operator is a member of pg_read_all_data"_s);
        for (const QString& attribute :
            {u"LOGIN"_s, u"SUPERUSER"_s, u"CREATEROLE"_s, u"CREATEDB"_s, u"REPLICATION"_s, u"BYPASSRLS"_s})
            row(attribute.toUtf8(), {}, forges + u"ALTER ROLE lockscope_operator "_s + attribute,
                u"lockscope_operator has the attribute "_s + attribute);
    }
    void isRefused()
    {
        FETCH(QString, maker, QString, sql, QString, reason);
        if (maker.isEmpty())
            m_server->run(m_server->url(), sql);
        else
            m_server->run(m_server->url(), u"SET ROLE "_s + maker + u';' + sql);
        const ServerUrl url = m_server->freshDatabase(TestServer::Schema::None);
        // The owner of a database does not decide either.
        m_server->run(url,
            u"ALTER DATABASE \"%1\" SET lockscope.adopted_roles = 'lockscope_operator'"_s.arg(url.database));
        const auto connection = m_server->connect(url);
        const auto refused = installSchema(*connection);
        QVERIFY(!refused);
        VERIFY_CONTAINS(refused.error().toString(), reason);
        QVERIFY2(refused.error().hint.contains(u"--adopt-role"_s), qPrintable(refused.error().toString()));
        QCOMPARE(
            ask(*connection, u"SELECT count(*) FROM pg_namespace WHERE nspname = 'lockscope'"_s), u"0"_s);

        VERIFY_DONE(installSchema(*connection, {u"lockscope_operator"_s}));
        // It is let in by now.
        QVERIFY(installSchema(*connection));
    }

    void whatAnInstallationMadeServesOtherDatabasesToo()
    {
        const ServerUrl first = m_server->freshDatabase(
            u"GRANT lockscope_operator TO app; GRANT pg_monitor TO lockscope_reader"_s);
        const ServerUrl second = m_server->freshDatabase(TestServer::Schema::None);
        VERIFY_DONE(installSchema(*m_server->connect(second)));
        QCOMPARE(findings(*m_server->connect(second)).filter(u"lockscope_"_s), QStringList());
    }

    void whoMayMakeRolesInstallsWithRolesOfHisOwn()
    {
        const ServerUrl url = m_server->freshDatabase(TestServer::Schema::None);
        const ServerUrl owner = m_server->asRole(url,
            u"GRANT CREATE ON DATABASE \"%1\" TO {role}; ALTER ROLE {role} CREATEROLE"_s.arg(url.database));
        VERIFY_DONE(installSchema(*m_server->connect(owner)));
        QVERIFY(installSchema(*m_server->connect(owner)));
        QCOMPARE(findings(*m_server->connect(url)).filter(u"lockscope_"_s), QStringList());
    }

    void theCheckNamesWhatARoleHasFromElsewhere()
    {
        const ServerUrl url = m_server->freshDatabase(
            u"GRANT pg_write_all_data TO lockscope_reader; ALTER ROLE lockscope_operator LOGIN; GRANT lockscope_admin TO mallory WITH ADMIN OPTION"_s);
        const QStringList found = findings(*m_server->connect(url));
        for (const QString& finding :
            {u"lockscope_reader is a member of pg_write_all_data, which gives it more"_s,
                u"lockscope_operator has the attribute LOGIN"_s,
                u"mallory may give lockscope_admin to anybody"_s})
            QVERIFY2(found.contains(finding), qPrintable(found.join(u'\n')));
    }

    void aRoleMadeLaterIsNotLetInByTheCheck()
    {
        const ServerUrl url = m_server->freshDatabase(TestServer::Schema::None);
        const ServerUrl owner =
            m_server->asRole(url, u"GRANT CREATE ON DATABASE \"%1\" TO {role}"_s.arg(url.database));
        QVERIFY(installSchema(*m_server->connect(owner))); // without roles
        m_server->run(url, u"SET ROLE mallory;"_s + makes);
        QCOMPARE(findings(*m_server->connect(url)).filter(u"lacks"_s), QStringList());
        const auto refused = installSchema(*m_server->connect(owner));
        QVERIFY(!refused);
        VERIFY_CONTAINS(refused.error().toString(), u"does not say"_s);
    }

    void onlyRolesOfOursAreAdopted()
    {
        const auto connection = m_server->connect(m_server->freshDatabase(TestServer::Schema::None));
        for (const QString& name : {u"postgres"_s, u"lockscope_"_s, u"lockscope_x' OR '"_s})
            VERIFY_FAILS(ErrorKind::BadInput, installSchema(*connection, {name}));
    }

private:
    std::unique_ptr<TestServer> m_server;
};

LOCKSCOPE_TEST(ForeignRoles)

} // namespace tst_ForeignRoles
#include "tst_ForeignRoles.moc"
