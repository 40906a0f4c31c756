// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Each function of the schema, as the server has it: accepted by plpgsql_check, bound to a search path in
// which nobody can plant objects, and callable only by those who were given it. PostgreSQL.

#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

namespace tst_SchemaFunctions {

using namespace lockscope;
using namespace lockscope::test;

class SchemaFunctions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_database = TestServer::shared().freshDatabase();
        m_connection = TestServer::shared().connect(m_database);
        QVERIFY(see(u"SELECT count(*) FROM pg_proc WHERE pronamespace = 'lockscope'::regnamespace"_s).toInt()
            > 10);
    }
    void cleanupTestCase() { m_connection.reset(); }

    void thereIsNothingToComplainOf()
    {
        if (see(u"SELECT count(*) FROM pg_available_extensions WHERE name = 'plpgsql_check'"_s) == u"0")
            QSKIP("plpgsql_check is not installed: packaging/dev installs it for PostgreSQL 15");
        TestServer::shared().run(m_database, u"CREATE EXTENSION plpgsql_check"_s);
        QCOMPARE(
            see(u"SELECT string_agg(format('%s line %s: %s', p.oid::regprocedure, c.lineno, c.message), '; ') FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang AND l.lanname = 'plpgsql', LATERAL plpgsql_check_function_tb(p.oid, CASE WHEN p.prorettype = 'trigger'::regtype "
                "THEN 'lockscope.lock_entry'::regclass ELSE 0 END, security_warnings => true, performance_warnings => true, extra_warnings => true) AS c WHERE p.pronamespace = 'lockscope'::regnamespace "
                // set_rights() executes texts that wrong_rights() has quoted.
                "AND NOT (p.proname = 'set_rights' AND c.message LIKE '%is not sanitized')"_s),
            QString());
    }

    void eachIsBoundToItsSearchPath()
    {
        QCOMPARE(
            see(u"SELECT string_agg(oid::regprocedure::text, '; ') FROM pg_proc WHERE pronamespace = 'lockscope'::regnamespace AND NOT coalesce('search_path=pg_catalog, pg_temp' = ANY(proconfig), false)"_s),
            QString());
    }

    void onlyApplicationLocksAreForEverybody()
    {
        QCOMPARE(
            see(u"SELECT string_agg(proname, ', ' ORDER BY proname) FROM pg_proc WHERE pronamespace = 'lockscope'::regnamespace AND has_function_privilege('pg_monitor', oid, 'EXECUTE')"_s),
            u"acquire_app_lock, release_app_lock"_s);
    }

private:
    QString see(const QString& sql) { return ask(*m_connection, sql); }

    db::ServerUrl m_database;
    std::unique_ptr<db::Connection> m_connection;
};

LOCKSCOPE_TEST(SchemaFunctions)

} // namespace tst_SchemaFunctions
#include "tst_SchemaFunctions.moc"
