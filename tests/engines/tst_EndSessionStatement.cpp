// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The statement that a DBA gets to end a session by hand, run as it is.

#include "core/admin/EndSessionStatement.h"
#include "tests/support/Session.h"
#include "tests/support/TestProgram.h"
#include "tests/support/TestServer.h"

#include <QtTest>

using namespace lockscope;
using namespace Qt::StringLiterals;
using admin::endSessionStatement;
using test::sqlStatement;
using test::TestServer;

class tst_EndSessionStatement : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itEndsExactlyTheSessionShown();
    void onSqlServerItComparesTheStartToo();
    void nobodyGetsOneForWhatMustNotBeEnded();
};

void tst_EndSessionStatement::itEndsExactlyTheSessionShown()
{
    TestServer& server = TestServer::shared();
    const db::ServerUrl url = server.freshDatabase();
    const auto admin = server.connect(url);
    const auto victim = server.connect(url);
    Session shown;
    shown.id = victim->sessionId();
    const auto read = admin->execute(
        sqlStatement(u"SELECT (extract(epoch FROM backend_start) * 1000000)::bigint FROM pg_stat_activity "
                     "WHERE pid = %1"_s.arg(shown.id.value)),
        {}, [&](const db::Row& row) { shown.started = row.time(0); });
    QVERIFY(read && shown.started.isValid());
    const auto run = [&](const Session& session) {
        QString answer;
        const auto done = admin->execute(sqlStatement(endSessionStatement(Engine::Postgres, session)), {},
            [&](const db::Row& row) { answer = row.boolean(0) ? u"ended"_s : u"not ended"_s; });
        return done ? answer : done.error().toString();
    };
    const auto isThere = [&] { return victim->execute(sqlStatement(u"SELECT 1"_s), {}).has_value(); };
    Session later = shown; // a process id that was given again
    later.started = shown.started + microseconds(1);
    QCOMPARE(run(later), QString());
    QVERIFY(isThere());
    QCOMPARE(run(shown), u"ended"_s);
    QTRY_VERIFY(!isThere());
    QCOMPARE(run(shown), QString());
}

void tst_EndSessionStatement::onSqlServerItComparesTheStartToo()
{
    Session shown;
    shown.id = {63};
    shown.started = {1'795'230'727'000'000};
    const QString statement = endSessionStatement(Engine::SqlServer, shown);
    for (const char* part : {"session_id = 63", "= 1795230727000000", "KILL 63"})
        QVERIFY2(statement.contains(QLatin1String(part)), qPrintable(statement));
    QVERIFY(!statement.contains(u'{') && !statement.contains(u'@'));
    shown.unitOfWork = u"5f1b4a1e-9e5b-4a0a-8f0c-0d3f3f1b2a11"_s;
    QCOMPARE(endSessionStatement(Engine::SqlServer, shown),
        u"EXECUTE (N'KILL ''5F1B4A1E-9E5B-4A0A-8F0C-0D3F3F1B2A11''');"_s);
    shown.unitOfWork = u"x'; SHUTDOWN; --"_s;
    QCOMPARE(endSessionStatement(Engine::SqlServer, shown), QString());
}

void tst_EndSessionStatement::nobodyGetsOneForWhatMustNotBeEnded()
{
    Session shown;
    shown.id = {63};
    shown.started = {1'795'230'727'000'000};
    QCOMPARE(endSessionStatement(Engine::Sqlite, shown), QString());
    Session prepared = shown;
    prepared.id = {-775};
    Session system = shown;
    system.system = true;
    Session unknown = shown;
    unknown.started = {};
    for (const Engine engine : {Engine::Postgres, Engine::SqlServer}) {
        QVERIFY(!endSessionStatement(engine, shown).isEmpty());
        for (const Session& session : {prepared, system, unknown})
            QCOMPARE(endSessionStatement(engine, session), QString());
    }
}

LOCKSCOPE_TEST(tst_EndSessionStatement)
#include "tst_EndSessionStatement.moc"
