// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The progress of a long command of another session, read from a real server.

#include "core/monitor/DetailQueries.h"
#include "tests/support/Session.h"
#include "tests/support/TestProgram.h"

namespace tst_CommandProgress {

using namespace lockscope;
using namespace lockscope::test;
using lockscope::Session;
using monitor::commandProgress;

class tst_CommandProgress : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// CREATE INDEX CONCURRENTLY waits for sessions that write into the table.
    void anIndexThatWaitsSaysSo()
    {
        TestServer& server = TestServer::shared();
        const db::ServerUrl url = server.freshDatabase();
        const auto writer = server.connect(url);
        const auto witness = server.connect(url);
        QVERIFY(runSql(*writer, u"CREATE TABLE public.orders (id int)"_s, {}));
        QVERIFY(writer->begin());
        QVERIFY(runSql(*writer, u"INSERT INTO public.orders VALUES (1)"_s, {}));
        const auto builder = server.connect(url);
        const QString statement = u"CREATE INDEX CONCURRENTLY ON public.orders (id)"_s;
        const Session shown = seen(*witness, builder->sessionId(), statement);
        std::jthread thread([&] { std::ignore = runSql(*builder, statement, {}); });
        QString lastText;
        TRY_VERIFY((lastText = commandProgress(*witness, shown).value_or(QString())).contains(u"waiting"_s));
        Session another = shown; // of that number, at another time
        another.started = shown.started + microseconds(1);
        VERIFY_FAILS(ErrorKind::Changed, commandProgress(*witness, another));
        QVERIFY(writer->commit());
        thread.join();
        VERIFY_FAILS(ErrorKind::Changed, commandProgress(*witness, shown));
    }

    void eachKindOfCommandCanBeAsked_data()
    {
        test::addColumns<QString, bool>("statement", "tells");
        for (const char* statement : {"VACUUM", "VACUUM (FULL, VERBOSE) orders", "vacuum full orders",
                 "ANALYZE orders", "autovacuum: VACUUM public.orders", "CREATE UNIQUE INDEX ON orders (id)",
                 "REINDEX TABLE orders", "CLUSTER", "COPY orders FROM stdin"})
            row(statement, QString::fromLatin1(statement), true);
        for (const char* statement : {"SELECT 1", "CREATE TABLE x ()", "", "COPYING", "-- VACUUM"})
            QTest::newRow(statement[0] ? statement : "nothing") << QString::fromLatin1(statement) << false;
    }
    void eachKindOfCommandCanBeAsked()
    {
        FETCH(const QString, statement, const bool, tells);
        const auto connection = TestServer::shared().connect(TestServer::shared().freshDatabase());
        const Session session = seen(*connection, connection->sessionId(), statement);
        QCOMPARE(monitor::reportsProgress(session), tells);
        const auto progress = commandProgress(*connection, session);
        QVERIFY(!progress);
        // The server knows the view, and we are not in it.
        QVERIFY2(progress.error().kind == (tells ? ErrorKind::Changed : ErrorKind::Unsupported),
            qPrintable(progress.error().toString()));
    }

private:
    static Session seen(db::Connection& by, SessionId id, const QString& statement)
    {
        Session session;
        session.id = id;
        session.state = SessionState::Active;
        session.statement = statement;
        test::orDie(runSql(by,
            u"SELECT (extract(epoch FROM backend_start) * 1000000)::bigint FROM pg_stat_activity WHERE pid = %1"_s
                .arg(id.value),
            {}, [&](const db::Row& row) { session.started = row.time(0); }));
        return session;
    }
};

LOCKSCOPE_TEST(tst_CommandProgress)

} // namespace tst_CommandProgress
#include "tst_CommandProgress.moc"
