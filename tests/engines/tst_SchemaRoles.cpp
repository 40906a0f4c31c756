// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// What each of the schema's three roles may do, and above all what it may not. PostgreSQL.

#include "core/locks/LockStrategy.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::db;
using lockscope::test::TestServer;
using namespace Qt::StringLiterals;

namespace {

const QString acquire =
    u"SELECT fencing FROM lockscope.acquire_lock('n', 't', 60000000, false, 9223372036854775807, 'o', 'h', 'p', 1)"_s;
const QString audit =
    u"INSERT INTO lockscope.audit_log (who, origin, act, target, reason, before, outcome) VALUES "
    "('ann', 'till-3', 'release', 'n', 'stuck', '{}', 'done')"_s;

} // namespace

class SchemaRoles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_database = TestServer::shared().freshDatabase(); }

    void mayDoItsWork_data()
    {
        QTest::addColumn<QString>("role");
        QTest::addColumn<QString>("sql");
        for (const QString& role : {u"reader"_s, u"operator"_s, u"admin"_s}) {
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
            row("release", u"SELECT lockscope.release_lock('n', 't')"_s);
            row("renew", u"SELECT lockscope.renew_lock('n', 't', 60000000)"_s);
            row("leave the queue", u"SELECT lockscope.leave_queue('n', 't')"_s);
            row("free by hand", u"DELETE FROM lockscope.lock_entry WHERE name = 'n'"_s);
            row("purge", u"SELECT lockscope.purge_stale()"_s);
            row("write the audit", audit);
            row("application lock", u"SELECT lockscope.acquire_app_lock('n')"_s);
            row("surrogate key", u"SELECT lockscope.lock_surrogate_key('n')"_s);
            if (role == u"operator")
                continue;
            row("make a surrogate table", u"SELECT lockscope.add_surrogate_table('n')"_s);
            row("clear the audit out", u"DELETE FROM lockscope.audit_log"_s);
        }
    }
    void mayDoItsWork()
    {
        const auto done = runAsRole();
        QVERIFY2(done, done ? "" : qPrintable(done.error().toString()));
    }

    void mayNotDoMore_data()
    {
        QTest::addColumn<QString>("role");
        QTest::addColumn<QString>("sql");
        for (const QString& role : {u"none"_s, u"reader"_s, u"operator"_s, u"admin"_s}) {
            const auto row = [&role](const char* what, const QString& sql) {
                QTest::addRow("%s: %s", qPrintable(role), what) << role << sql;
            };
            row("forge the audit", u"UPDATE lockscope.audit_log SET who = 'bob'"_s);
            row("make tables", u"CREATE TABLE lockscope.mine (a int)"_s);
            row("drop tables", u"DROP TABLE lockscope.lock_entry"_s);
            row("forge the version", u"UPDATE lockscope.schema_version SET version = 99"_s);
            row("empty the lock table", u"TRUNCATE lockscope.lock_entry"_s);
            row("block the lock table", u"BEGIN; LOCK TABLE lockscope.schema_version"_s);
            row("reset the fencing", u"SELECT setval('lockscope.fencing', 1)"_s);
            if (role == u"admin")
                continue;
            row("clear the audit out", u"DELETE FROM lockscope.audit_log"_s);
            row("make a surrogate table", u"SELECT lockscope.add_surrogate_table('n')"_s);
            if (role == u"operator")
                continue;
            row("acquire", acquire);
            row("insert an entry",
                u"INSERT INTO lockscope.lock_entry (name, token, expires_at) VALUES ('n', 't', now())"_s);
            row("release", u"SELECT lockscope.release_lock('n', 't')"_s);
            row("free by hand", u"DELETE FROM lockscope.lock_entry"_s);
            row("purge", u"SELECT lockscope.purge_stale()"_s);
            row("write the audit", audit);
            row("surrogate key", u"SELECT lockscope.lock_surrogate_key('n')"_s);
            if (role == u"none")
                row("look", u"SELECT * FROM lockscope.holders"_s);
        }
    }
    void mayNotDoMore()
    {
        const auto done = runAsRole();
        QVERIFY(!done);
        QCOMPARE(done.error().kind, ErrorKind::Permission);
    }

    void operatorUsesEveryStrategy_data()
    {
        QTest::addColumn<locks::LockKind>("kind");
        QTest::newRow("lock table") << locks::LockKind::Table;
        QTest::newRow("application lock") << locks::LockKind::Application;
        QTest::newRow("locked table") << locks::LockKind::LockedTable;
        QTest::newRow("locked key") << locks::LockKind::LockedKey;
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
        locks::AcquireRequest request;
        request.name = u"n"_s;
        const auto result = strategy->acquire(request);
        QVERIFY2(result, result ? "" : qPrintable(result.error().toString()));
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
        QFETCH(QString, role);
        QFETCH(QString, sql);
        return connectAs(role)->executeScript(sql.toUtf8());
    }

    ServerUrl m_database;
};

LOCKSCOPE_TEST(SchemaRoles)
#include "tst_SchemaRoles.moc"
