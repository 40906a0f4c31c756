// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The rights of each of the schema's three roles on SQL Server, and above all the things that it may not do.
// Needs a server that executes T-SQL and lets us make logins; tst_SqlServerSchema checks that install.sql
// grants nothing else.

#include "core/db/sqlserver/SqlServerConnection.h"
#include "tests/support/RoleActs.h"
#include "tests/support/SqlServerRig.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_SqlServerRoles {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;

const RoleActs acts{
    .acquire = u"EXECUTE lockscope.AcquireLock @Name = N'n', @Token = N't', @LeaseUs = 60000000"_s,
    .renew = u"EXECUTE lockscope.RenewLock @Name = N'n', @Token = N't', @LeaseUs = 60000000"_s,
    .release = u"EXECUTE lockscope.ReleaseLock @Name = N'n', @Token = N't'"_s,
    .leaveQueue = u"EXECUTE lockscope.LeaveQueue @Name = N'n', @Token = N't'"_s,
    .purge = u"EXECUTE lockscope.PurgeStale"_s,
    .insertEntry =
        u"INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES (N'n', N't', SYSUTCDATETIME())"_s,
    .emptyTable = u"TRUNCATE TABLE lockscope.lock_entry"_s,
    .writeAudit =
        u"EXECUTE lockscope.RecordAct @Origin = N'ann, till-3', @Act = N'release', @Target = N'n', @Reason = N'stuck', @Before = N'{}', @Outcome = N'done'"_s,
    .takeAppLock = u"EXECUTE lockscope.AcquireAppLock @Name = N'n'"_s,
    .takeKey = u"BEGIN TRANSACTION; EXECUTE lockscope.LockSurrogateKey @Key = N'n'; COMMIT TRANSACTION"_s,
    .makeTable = u"EXECUTE lockscope.AddSurrogateTable @Name = N'n'"_s,
};

const QString writeAuditByHand =
    u"INSERT INTO lockscope.audit_log (who, origin, act, target, reason, [before], outcome) VALUES (N'bob', N'till-3', N'release', N'n', N'stuck', N'{}', N'done')"_s;

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
        for (const QString& role : schemaRoles) {
            const QString login = owner->dialect().quoted(loginOf(role));
            QString script = u"CREATE LOGIN %1 WITH PASSWORD = '%2'\nGO\nCREATE USER %1 FOR LOGIN %1"_s.arg(
                login, m_password);
            if (role != u"none")
                script += u"\nGO\nALTER ROLE lockscope_%1 ADD MEMBER %2"_s.arg(role, login);
            const auto made = owner->executeScript(script.toUtf8());
            if (!made && made.error().kind == ErrorKind::Permission)
                QSKIP("This login may not make others.");
            VERIFY_DONE(made);
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

    void mayDoItsWork_data() { addAllowed(acts); }
    void mayDoItsWork()
    {
        QFETCH(QString, sql);
        if (sql == acts.makeTable && m_isOtherEngine)
            QSKIP("This server makes tables with the rights of the caller only.");
        VERIFY_DONE(runAsRole());
    }

    void mayNotDoMore_data()
    {
        addForbidden(acts);
        for (const QString& role : schemaRoles) {
            QTest::addRow("%s: change a procedure", qPrintable(role))
                << role << u"DROP PROCEDURE lockscope.ReleaseLock"_s;
            QTest::addRow("%s: join a role", qPrintable(role))
                << role << u"ALTER ROLE lockscope_admin ADD MEMBER [%1]"_s.arg(loginOf(role));
            QTest::addRow("%s: write the audit past the procedure", qPrintable(role))
                << role << writeAuditByHand;
            QTest::addRow("%s: choose a fencing number", qPrintable(role))
                << role << u"SELECT NEXT VALUE FOR lockscope.fencing"_s;
            QTest::addRow("%s: keep a guard", qPrintable(role))
                << role << u"SELECT 1 FROM lockscope.lock_name WITH (UPDLOCK, HOLDLOCK)"_s;
            QTest::addRow("%s: choose a ticket", qPrintable(role))
                << role
                << u"SET IDENTITY_INSERT lockscope.lock_waiter ON; INSERT INTO lockscope.lock_waiter (ticket, name, expires_at) VALUES (0, N'n', DATEADD(SECOND, 5, SYSUTCDATETIME()))"_s;
            if (role == u"none" || role == u"reader")
                QTest::addRow("%s: read a token", qPrintable(role))
                    << role << u"SELECT token FROM lockscope.lock_entry"_s;
        }
    }
    void mayNotDoMore()
    {
        FETCH(QString, role, QString, sql);
        // A caller may do by hand what the procedures do there; the triggers enforce the rules:
        // tst_SqlServerTable.
        const bool isWorker = role == u"operator" || role == u"admin";
        const bool needsTheChain = sql == writeAuditByHand || sql.contains(u"audit_log SET who"_s)
            || sql.contains(u"NEXT VALUE"_s) || sql.contains(u"lock_name"_s)
            || sql.contains(u"lock_waiter ON"_s);
        const bool readsTokens = sql.contains(u"SELECT token"_s) && role == u"reader";
        if (m_isOtherEngine && ((needsTheChain && isWorker) || readsTokens))
            QSKIP(
                "This server knows no ownership chain: who calls a procedure needs the rights of what it does.");
        const auto done = runAsRole();
        QVERIFY(!done);
        QVERIFY2(done.error().kind == ErrorKind::Permission || done.error().kind == ErrorKind::MissingObject,
            qPrintable(done.error().toString()));
    }

private:
    QString loginOf(const QString& role) const { return u"lockscope_test_%1_%2"_s.arg(role, m_suffix); }
    Result<void> runAsRole() const
    {
        FETCH(QString, role, QString, sql);
        ServerUrl url = m_rig->url();
        url.user = loginOf(role);
        const auto connection = orDie(db::Server::at(url, fixedPassword(m_password)).connect());
        return runSql(*connection, sql, {}).map([](qint64) {});
    }

    std::unique_ptr<SqlServerRig> m_rig;
    bool m_isOtherEngine = false;
    QString m_suffix;
    QString m_password;
    QStringList m_made;
};

LOCKSCOPE_TEST(SqlServerRoles)

} // namespace tst_SqlServerRoles
#include "tst_SqlServerRoles.moc"
