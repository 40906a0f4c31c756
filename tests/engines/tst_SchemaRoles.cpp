// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The rights of each of the schema's three roles, and above all the things that it may not do. PostgreSQL.

#include "core/locks/LockStrategy.h"
#include "tests/support/RoleActs.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_SchemaRoles {

using namespace lockscope;
using namespace lockscope::db;
using namespace lockscope::test;

const RoleActs acts{
    .acquire =
        u"SELECT fencing FROM lockscope.acquire_lock('n', 't', 60000000, false, 9223372036854775807, 'o', 'h', 'p', 1)"_s,
    .renew = u"SELECT lockscope.renew_lock('n', 't', 60000000)"_s,
    .release = u"SELECT lockscope.release_lock('n', 't')"_s,
    .leaveQueue = u"SELECT lockscope.leave_queue('n', 't')"_s,
    .purge = u"SELECT lockscope.purge_stale()"_s,
    .insertEntry = u"INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES ('n', 't', now())"_s,
    .emptyTable = u"TRUNCATE lockscope.lock_entry"_s,
    .writeAudit = u"SELECT lockscope.audit_act('till-3', 'release', 'n', 'stuck', '{}', 'done')"_s,
    .takeAppLock = u"SELECT lockscope.acquire_app_lock('n')"_s,
    .takeKey = u"SELECT lockscope.lock_surrogate_key('n')"_s,
    .makeTable = u"SELECT lockscope.add_surrogate_table('n')"_s,
};

class SchemaRoles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_database = TestServer::shared().freshDatabase(); }

    void mayDoItsWork_data() { addAllowed(acts); }
    void mayDoItsWork() { VERIFY_DONE(runAsRole()); }

    void mayNotDoMore_data()
    {
        addForbidden(acts);
        for (const QString& role : schemaRoles) {
            QTest::addRow("%s: block the lock table", qPrintable(role))
                << role << u"BEGIN; LOCK TABLE lockscope.schema_version"_s;
            QTest::addRow("%s: reset the fencing", qPrintable(role))
                << role << u"SELECT setval('lockscope.fencing', 1)"_s;
        }
    }
    void mayNotDoMore() { VERIFY_FAILS(ErrorKind::Permission, runAsRole()); }

    void operatorUsesEveryStrategy_data()
    {
        addRows<locks::LockKind>("kind",
            {{"lock table", locks::LockKind::Table}, {"application lock", locks::LockKind::Application},
                {"locked table", locks::LockKind::LockedTable}, {"locked key", locks::LockKind::LockedKey}});
    }
    void operatorUsesEveryStrategy()
    {
        QFETCH(locks::LockKind, kind);
        const auto owner = TestServer::shared().connect(m_database);
        QVERIFY(locks::LockStrategy::create(kind, *owner).value()->prepare(u"n"_s));
        const auto connection = connectAs(u"operator"_s);
        const auto strategy = locks::LockStrategy::create(kind, *connection).value();
        QVERIFY(strategy->prepare(u"n"_s));
        if (kind != locks::LockKind::Table)
            QVERIFY(connection->begin());
        const auto result = strategy->acquire({.name = u"n"_s});
        VERIFY_DONE(result);
        QVERIFY(locks::isGranted(result->outcome));
    }

private:
    std::unique_ptr<Connection> connectAs(const QString& role) const
    {
        const QString grant = role == u"none" ? QString() : u"GRANT lockscope_%1 TO {role}"_s.arg(role);
        return TestServer::shared().connect(TestServer::shared().asRole(m_database, grant));
    }
    Result<void> runAsRole() const
    {
        FETCH(QString, role, QString, sql);
        return connectAs(role)->executeScript(sql.toUtf8());
    }

    ServerUrl m_database;
};

LOCKSCOPE_TEST(SchemaRoles)

} // namespace tst_SchemaRoles
#include "tst_SchemaRoles.moc"
