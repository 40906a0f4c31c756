// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// What each of the schema's three roles may do on SQL Server, and above all what it may not. Needs a server
// that executes T-SQL and lets us make logins; that install.sql grants nothing else is checked by
// tst_SqlServerSchema.

#include "core/db/SqlServerConnection.h"
#include "tests/support/SqlServerRig.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

#include <QTest>
#include <QUuid>

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;
using namespace Qt::StringLiterals;

namespace {

const QString acquire = u"EXECUTE lockscope.AcquireLock @Name = N'n', @Token = N't', @LeaseUs = 60000000"_s;
const QString audit =
    u"INSERT INTO lockscope.audit_log (who, origin, act, target, reason, [before], outcome) VALUES "
    "(N'ann', N'till-3', N'release', N'n', N'stuck', N'{}', N'done')"_s;
const QStringList roles{u"none"_s, u"reader"_s, u"operator"_s, u"admin"_s};

} // namespace

class SqlServerRoles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (!SqlServerRig::isReal())
            QSKIP("The double knows no rights: this needs a server that executes T-SQL.");
        m_rig = std::make_unique<SqlServerRig>();
        const auto owner = m_rig->connect();
        m_isOtherEngine = SqlServerConnection::factsOf(*owner).isOtherEngine();
        m_suffix = QUuid::createUuid().toString(QUuid::Id128).left(12);
        m_password = u"Aa1!"_s + QUuid::createUuid().toString(QUuid::Id128);
        for (const QString& role : roles) {
            const QString login = owner->dialect().quoted(loginOf(role));
            QString script = u"CREATE LOGIN %1 WITH PASSWORD = '%2'\nGO\nCREATE USER %1 FOR LOGIN %1"_s.arg(
                login, m_password);
            if (role != u"none")
                script += u"\nGO\nALTER ROLE lockscope_%1 ADD MEMBER %2"_s.arg(role, login);
            const auto made = owner->executeScript(script.toUtf8());
            if (!made && made.error().kind == ErrorKind::Permission)
                QSKIP("This login may not make others.");
            QVERIFY2(made, made ? "" : qPrintable(made.error().toString()));
            m_made << role;
        }
    }

    void cleanupTestCase()
    {
        if (!m_rig)
            return;
        const auto owner = m_rig->connect();
        for (const QString& role : std::as_const(m_made)) {
            const QString login = owner->dialect().quoted(loginOf(role));
            QVERIFY(owner->executeScript(u"DROP USER %1\nGO\nDROP LOGIN %1"_s.arg(login).toUtf8()));
        }
    }

    void mayDoItsWork_data()
    {
        QTest::addColumn<QString>("role");
        QTest::addColumn<QString>("sql");
        for (const QString& role : roles.mid(1)) {
            const auto row = [&role](const char* what, const QString& sql) {
                QTest::addRow("%s: %s", qPrintable(role), what) << role << sql;
            };
            row("see the holders", u"SELECT * FROM lockscope.holders"_s);
            row("see the waiters", u"SELECT * FROM lockscope.waiters"_s);
            row("see what is stale", u"SELECT * FROM lockscope.stale"_s);
            row("see the audit", u"SELECT * FROM lockscope.audit"_s);
            row("see the entries", u"SELECT * FROM lockscope.lock_entry"_s);
            if (role == u"reader")
                continue;
            row("acquire", acquire);
            row("renew", u"EXECUTE lockscope.RenewLock @Name = N'n', @Token = N't', @LeaseUs = 60000000"_s);
            row("release", u"EXECUTE lockscope.ReleaseLock @Name = N'n', @Token = N't'"_s);
            row("leave the queue", u"EXECUTE lockscope.LeaveQueue @Name = N'n', @Token = N't'"_s);
            row("free by hand", u"DELETE FROM lockscope.lock_entry WHERE name = N'n'"_s);
            row("purge", u"EXECUTE lockscope.PurgeStale"_s);
            row("write the audit", audit);
            row("application lock", u"EXECUTE lockscope.AcquireAppLock @Name = N'n'"_s);
            if (role == u"operator")
                continue;
            row("make a surrogate table", u"EXECUTE lockscope.AddSurrogateTable @Name = N'n'"_s);
            row("clear the audit out", u"DELETE FROM lockscope.audit_log"_s);
        }
    }
    void mayDoItsWork()
    {
        QFETCH(QString, sql);
        if (sql.contains(u"AddSurrogateTable") && m_isOtherEngine)
            QSKIP("This server makes tables with the rights of the caller only.");
        const auto done = runAsRole();
        QVERIFY2(done, done ? "" : qPrintable(done.error().toString()));
    }

    void mayNotDoMore_data()
    {
        QTest::addColumn<QString>("role");
        QTest::addColumn<QString>("sql");
        for (const QString& role : roles) {
            const auto row = [&role](const char* what, const QString& sql) {
                QTest::addRow("%s: %s", qPrintable(role), what) << role << sql;
            };
            row("forge the audit", u"UPDATE lockscope.audit_log SET who = N'bob'"_s);
            row("make tables", u"CREATE TABLE lockscope.mine (a int)"_s);
            row("drop tables", u"DROP TABLE lockscope.lock_entry"_s);
            row("forge the version", u"UPDATE lockscope.schema_version SET version = 99"_s);
            row("empty the lock table", u"TRUNCATE TABLE lockscope.lock_entry"_s);
            row("change a procedure", u"DROP PROCEDURE lockscope.ReleaseLock"_s);
            row("join a role", u"ALTER ROLE lockscope_admin ADD MEMBER [%1]"_s.arg(loginOf(role)));
            if (role == u"admin")
                continue;
            row("clear the audit out", u"DELETE FROM lockscope.audit_log"_s);
            row("make a surrogate table", u"EXECUTE lockscope.AddSurrogateTable @Name = N'n'"_s);
            if (role == u"operator")
                continue;
            row("acquire", acquire);
            row("insert an entry",
                u"INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES (N'n', N't', SYSUTCDATETIME())"_s);
            row("release", u"EXECUTE lockscope.ReleaseLock @Name = N'n', @Token = N't'"_s);
            row("free by hand", u"DELETE FROM lockscope.lock_entry"_s);
            row("purge", u"EXECUTE lockscope.PurgeStale"_s);
            row("write the audit", audit);
            row("surrogate key", u"INSERT INTO lockscope.surrogate_key ([key]) VALUES (N'n')"_s);
            if (role == u"none")
                row("look", u"SELECT * FROM lockscope.holders"_s);
        }
    }
    void mayNotDoMore()
    {
        const auto done = runAsRole();
        QVERIFY(!done);
        QVERIFY2(done.error().kind == ErrorKind::Permission || done.error().kind == ErrorKind::MissingObject,
            qPrintable(done.error().toString()));
    }

private:
    QString loginOf(const QString& role) const { return u"lockscope_test_%1_%2"_s.arg(role, m_suffix); }
    Result<void> runAsRole() const
    {
        QFETCH(QString, role);
        QFETCH(QString, sql);
        ServerUrl url = m_rig->url();
        url.user = loginOf(role);
        const auto connection = Connection::open(url, fixedPassword(m_password));
        if (!connection)
            qFatal("%s", qPrintable(connection.error().toString()));
        return (*connection)->execute(sqlStatement(sql), {}).map([](qint64) {});
    }

    std::unique_ptr<SqlServerRig> m_rig;
    bool m_isOtherEngine = false;
    QString m_suffix;
    QString m_password;
    QStringList m_made;
};

LOCKSCOPE_TEST(SqlServerRoles)
#include "tst_SqlServerRoles.moc"
