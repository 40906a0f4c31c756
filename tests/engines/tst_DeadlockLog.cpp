// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Deadlocks that a real PostgreSQL finds, read from the log that it writes.

#include "core/deadlock/Family.h"
#include "core/deadlock/Finding.h"
#include "core/deadlock/ReadReports.h"
#include "core/deadlock/source/PostgresLogReader.h"
#include "tests/support/LoggingServer.h"
#include "tests/support/Session.h"
#include "tests/support/TestProgram.h"

namespace tst_DeadlockLog {

using namespace lockscope;
using namespace lockscope::deadlock;
using namespace lockscope::test;
using test::Session;

/// Bytes of a statement that the server lists of those that are not the victim (track_activity_query_size).
constexpr qsizetype listed = 16 * 1'024 - 1;

using Sessions = std::vector<std::unique_ptr<Session>>;

/// Those of the log in which one of the sessions takes part.
static QList<Deadlock> deadlocksWith(const TestServer& server, const Sessions& sessions)
{
    const auto reports = test::orDie(readReports(server.log().toUtf8(), u"log"_s));
    QList<Deadlock> found;
    for (const ReportPtr& report : reports)
        for (const Deadlock& deadlock : deadlocksOf(report))
            for (const int participant : deadlock.cycle().participants())
                if (deadlock.participant(participant).session == sessions.front()->id()) {
                    found << deadlock;
                    break;
                }
    return found;
}

static Sessions beginAll(const TestServer& server, const db::ServerUrl& url, int count)
{
    Sessions sessions;
    for (int i = 0; i < count; ++i) {
        sessions.push_back(std::make_unique<Session>(server, url));
        if (!sessions.back()->run(u"set deadlock_timeout = '50ms'"_s) || !sessions.back()->run(u"begin"_s))
            qFatal("a session does not begin");
    }
    return sessions;
}

/// Each runs its first statement, then each its second, which waits for the next one; `last` is the last one
/// that does.
static void makeRing(Sessions& sessions, const QStringList& first, const QStringList& second, size_t last)
{
    for (size_t i = 0; i < sessions.size(); ++i)
        QVERIFY(sessions[i]->run(first[qsizetype(i)]));
    for (size_t i = 0; i < sessions.size(); ++i) {
        if (i == last)
            continue;
        sessions[i]->start(second[qsizetype(i)]);
        QVERIFY(sessions[i]->waitUntilBlocked());
    }
    sessions[last]->start(second[qsizetype(last)]);
}

static void makeRing(Sessions& sessions, const QStringList& first, const QStringList& second)
{
    makeRing(sessions, first, second, sessions.size() - 1);
}

class tst_DeadlockLog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_url = m_server->freshDatabase(TestServer::Schema::None);
        m_server->run(m_url,
            u"create table public.orders (id int primary key, note text);create table public.customers (id int primary key, note text);create table public.visits (customer int references public.customers);create table public.coupons (code text constraint coupons_code primary key);"
            "insert into public.orders select n, 'x' from generate_series(1, 9) n;insert into public.customers select n, 'x' from generate_series(1, 9) n;create table public.parts (id int primary key, note text) partition by range (id);"
            "create table public.parts_low partition of public.parts for values from (1) to (10);insert into public.parts select n, 'x' from generate_series(1, 9) n;create schema a; create table a.shops (id int primary key, note text);create schema b; create table b.shops (id int primary key, note text);"
            "insert into a.shops values (1, 'x'); insert into b.shops values (1, 'x');create table public.lists (id int primary key, note text);create table public.items (id int, list int references public.lists on delete cascade);create index on public.items (list);"
            "insert into public.lists select n, 'x' from generate_series(1, 9) n;insert into public.items select n, n from generate_series(1, 9) n;create table public.checks (id int, customer int references public.customers);create index on public.checks (customer); insert into public.checks values (5, 5)"_s);
    }

    void deadlocks_data()
    {
        test::addColumns<QStringList, QStringList, QString, ResourceKind, QString>(
            "first", "second", "mode", "kind", "finding");
        QTest::newRow("rows")
            << QStringList{u"update orders set note = 'a' where id = 1"_s,
                   u"update customers set note = 'b' where id = 2"_s}
            << QStringList{u"update customers\n\tset note = 'Process 1: x'\n where id = 2"_s,
                   u"update orders set note = 'd' where id = 1"_s}
            << u"ShareLock"_s << ResourceKind::TransactionId << u"opposite-order"_s;
        QTest::newRow("tables") << QStringList{u"lock table orders"_s, u"lock table customers"_s}
                                << QStringList{u"lock table customers"_s, u"lock table orders"_s}
                                << u"AccessExclusiveLock"_s << ResourceKind::Relation << QString();
        QTest::newRow("advisory") << QStringList{u"select pg_advisory_xact_lock(1)"_s,
            u"select pg_advisory_xact_lock(2)"_s}
                                  << QStringList{u"select pg_advisory_xact_lock(2)"_s,
                                         u"select pg_advisory_xact_lock(1)"_s}
                                  << u"ExclusiveLock"_s << ResourceKind::ApplicationLock
                                  << u"application-locks"_s;
        QTest::newRow("three") << QStringList{u"update orders set note = 'a' where id = 3"_s,
            u"update orders set note = 'b' where id = 4"_s, u"update orders set note = 'c' where id = 5"_s}
                               << QStringList{u"update orders set note = 'a' where id = 4"_s,
                                      u"update orders set note = 'b' where id = 5"_s,
                                      u"update orders set note = 'c' where id = 3"_s}
                               << u"ShareLock"_s << ResourceKind::TransactionId << u"longer-cycle"_s;
    }
    void deadlocks()
    {
        FETCH(QStringList, first, QStringList, second, QString, mode, ResourceKind, kind, QString, finding);
        Sessions sessions = beginAll(*m_server, m_url, int(first.size()));
        makeRing(sessions, first, second);
        QTRY_COMPARE(deadlocksWith(*m_server, sessions).size(), 1);
        const Deadlock deadlock = deadlocksWith(*m_server, sessions).first();
        QCOMPARE(deadlock.cycle().links.size(), first.size());
        for (const Link& link : deadlock.cycle().links) {
            QCOMPARE(link.awaited, mode);
            QCOMPARE(deadlock.resource(link.resource).kind, kind);
            // Each has the statement that it ran.
            const Participant& one = deadlock.participant(link.waiter);
            size_t at = 0;
            while (at < sessions.size() && sessions[at]->id() != one.session)
                ++at;
            QVERIFY(at < sessions.size());
            QCOMPARE(one.statement, second[qsizetype(at)]);
            // It waits for the next one.
            QCOMPARE(deadlock.participant(link.blocker).session, sessions[(at + 1) % sessions.size()]->id());
        }
        // The victim is whose statement failed.
        const Participant& victim = deadlock.participant(deadlock.cycle().victims.first());
        for (const auto& session : sessions)
            if (session->id() == victim.session) {
                VERIFY_FAILS(ErrorKind::Deadlock, session->wait());
            }
        QVERIFY2(deadlock.report->time.at, qPrintable(deadlock.report->raw.text()));
        const QStringList ids = textsOf(findingsOf(deadlock), &Finding::id);
        QVERIFY2(ids.contains(finding.isEmpty() ? u"opposite-order"_s : finding), qPrintable(ids.join(u' ')));
    }

    void theFamilyIsTheSameWhoeverWasTheVictim_data()
    {
        test::addColumns<QStringList, QStringList, QString>("first", "second", "title");
        const QString waits = u": ShareLock waits for ExclusiveLock"_s;
        const auto update = [](const QString& table, int id, const QString& more = {}) {
            return u"update %1 set note = 'a' where id = %2%3"_s.arg(table).arg(id).arg(more);
        };
        const auto lock = [](int key) { return u"select pg_advisory_xact_lock(3, %1)"_s.arg(key); };
        const auto lockWithin = [](int key) {
            return u"do $$ begin perform pg_advisory_xact_lock(3, %1); end $$"_s.arg(key);
        };
        const QString orders = u"orders"_s;
        const QString customers = u"public.customers"_s;
        QTest::newRow("rows") << QStringList{update(orders, 1), update(customers, 1)}
                              << QStringList{update(customers, 1), update(orders, 1)}
                              << u"orders, public.customers"_s + waits;
        QTest::newRow("rows of one table")
            << QStringList{update(orders, 1), update(orders, 2)}
            << QStringList{update(orders, 2), u"delete from orders where id = 1"_s} << orders + waits;
        const QString more = u" and id > 0"_s.repeated(2'000); // longer than what is listed
        QTest::newRow("long statements") << QStringList{update(orders, 1), update(customers, 1)}
                                         << QStringList{update(customers, 1, more), update(orders, 1, more)}
                                         << u"orders, public.customers"_s + waits;
        QTest::newRow("three") << QStringList{update(orders, 1), update(orders, 2), update(customers, 3)}
                               << QStringList{update(orders, 2), update(customers, 3),
                                      u"delete from orders where id = 1"_s}
                               << u"orders, public.customers"_s + waits;
        QTest::newRow("tables") << QStringList{u"lock table orders"_s, u"lock table customers"_s}
                                << QStringList{u"lock table customers"_s, u"lock table orders"_s}
                                << u"customers, orders: AccessExclusiveLock"_s;
        QTest::newRow("advisory locks") << QStringList{lock(1), lock(2)} << QStringList{lock(2), lock(1)}
                                        << u"application lock: ExclusiveLock"_s;
        // Its context looks as if it named a row.
        QTest::newRow("within a routine")
            << QStringList{lock(1), lock(2)} << QStringList{lockWithin(2), lock(1)}
            << u"application lock: ExclusiveLock"_s;
    }
    void theFamilyIsTheSameWhoeverWasTheVictim()
    {
        FETCH(QStringList, first, QStringList, second, QString, title);
        QString family;
        for (size_t victim = 0; victim < size_t(first.size()); ++victim) {
            Sessions sessions = beginAll(*m_server, m_url, int(first.size()));
            for (size_t i = 0; i < sessions.size(); ++i)
                QVERIFY(i == victim || sessions[i]->run(u"set deadlock_timeout = '1h'"_s));
            makeRing(sessions, first, second, victim);
            QTRY_COMPARE(deadlocksWith(*m_server, sessions).size(), 1);
            const Deadlock deadlock = deadlocksWith(*m_server, sessions).first();
            for (const int participant : deadlock.cycle().participants()) {
                const Participant& one = deadlock.participant(participant);
                const auto isOfIt = [&one](const auto& session) { return session->id() == one.session; };
                const auto at = size_t(std::ranges::find_if(sessions, isOfIt) - sessions.begin());
                QCOMPARE(deadlock.isVictim(participant), at == victim);
                const qsizetype whole = second[qsizetype(at)].size();
                QCOMPARE(one.statement.size(), at == victim ? whole : std::min(whole, listed));
            }
            QCOMPARE(familyTitle(deadlock), title);
            const QString found = familyOf(deadlock);
            QCOMPARE(found, family.isEmpty() ? found : family);
            family = found;
        }
        // Another deadlock does not belong to it.
        QVERIFY(!m_families.contains(family));
        m_families.insert(family);
    }

    void cures_data()
    {
        test::addColumns<QStringList, QStringList, QString, QString>("first", "second", "id", "cure");
        const auto row = [](const char* name, const QStringList& first, const QStringList& second,
                             const QString& id,
                             const QString& cure) { QTest::newRow(name) << first << second << id << cure; };
        const QString a = u"insert into coupons values ('a')"_s;
        const QString b = u"insert into coupons values ('b')"_s;
        row("the same keys", {a, b}, {b, a}, u"unique-inserts"_s,
            u"Insert the same keys in one order: sort the rows of each transaction by coupons.coupons_code. Both: insert into coupons values ('a'); insert into coupons values ('b') (likely)"_s);
        const QString share = u"select from orders where id = 1 for share"_s;
        const QString change = u"update orders set note = 'n' where id = 1"_s;
        row("a row's upgrade", {share, share}, {change, change}, u"conversion"_s,
            u"Lock the row at its first use, before any weaker lock of it, and several in the order of their key: SELECT … FROM orders where id = 1 ORDER BY … FOR UPDATE; then update orders set note = 'n' where id = 1 (likely)"_s);
        const QString visit = u"insert into visits values (2)"_s;
        const QString parent = u"select from customers where id = 2 for update"_s;
        row("child, then parent", {visit, visit}, {parent, parent}, u"conversion"_s,
            u"Lock the row at its first use, before any weaker lock of it, and several in the order of their key: SELECT … FROM customers where id = 2 ORDER BY … FOR UPDATE; then select from customers where id = 2 for update (likely)"_s);
        const QString read = u"select count(*) from orders"_s;
        const QString alter = u"alter table orders alter note set default 'x'"_s;
        row("a table's upgrade", {read, read}, {alter, alter}, u"conversion"_s,
            u"Lock the table at the beginning of the transaction, before it is used: LOCK TABLE orders IN ACCESS EXCLUSIVE MODE; then alter table orders alter note set default 'x' (likely)"_s);
        row("the check of a foreign key",
            {u"select from customers where id = 3 for update"_s,
                u"update orders set note = 'm' where id = 3"_s},
            {u"update orders set note = 'k' where id = 3"_s, u"insert into visits values (3)"_s},
            u"foreign-key"_s,
            u"Lock in one order: first customers, then orders. In all transactions; insert into visits values (3) locks customers without naming it. (likely)"_s);
        const QString lockTable =
            u"Lock the table at the beginning of the transaction, before it is used: LOCK TABLE orders IN SHARE ROW EXCLUSIVE MODE; then %1 (likely)"_s;
        const QString shareTable = u"lock table orders in share mode"_s;
        const QStringList updates{
            u"update orders set note = 'r' where id = 7"_s, u"update orders set note = 'r' where id = 8"_s};
        row("a shared table is changed", {shareTable, shareTable}, updates, u"conversion"_s,
            lockTable.arg(updates.last()));
        row("a changed table is shared", updates, {shareTable, shareTable}, u"conversion"_s,
            lockTable.arg(shareTable));
        row("a check of a deleted row",
            {u"delete from checks where id = 5"_s, u"update orders set note = 's' where id = 5"_s},
            {u"update orders set note = 's' where id = 5"_s, u"delete from customers where id = 5"_s},
            u"foreign-key"_s,
            u"Lock in one order: first orders, then checks. In all transactions; delete from customers where id = 5 locks checks without naming it. (likely)"_s);
        row("a cascade",
            {u"update items set id = 0 where list = 4"_s, u"update orders set note = 't' where id = 6"_s},
            {u"update orders set note = 't' where id = 6"_s, u"delete from lists where id = 4"_s},
            u"opposite-order"_s,
            u"Lock in one order: first orders, then items. In all transactions; delete from lists where id = 4 locks items without naming it. (likely)"_s);
        const QString part = u"update parts set note = 'p' where id = %1"_s;
        row("partitions", {part.arg(1), part.arg(2)}, {part.arg(2), part.arg(1)}, u"batch-order"_s,
            u"Lock all rows that a transaction changes at its beginning, in the order of their key: SELECT … FROM parts WHERE … ORDER BY … FOR UPDATE; then %1 (possible)"_s
                .arg(part.arg(1)));
        const QString shop = u"update %1.shops set note = 'p' where id = 1"_s;
        row("one name in two schemas", {shop.arg(u"a"_s), shop.arg(u"b"_s)},
            {shop.arg(u"b"_s), shop.arg(u"a"_s)}, u"opposite-order"_s,
            u"Lock in one order: first a.shops, then b.shops. Both: %1; %2 (likely)"_s.arg(
                shop.arg(u"a"_s), shop.arg(u"b"_s)));
        const QString advisory = u"select pg_advisory_xact_lock%1(9)"_s;
        row("one advisory lock", {advisory.arg(u"_shared"_s), advisory.arg(u"_shared"_s)},
            {advisory.arg(QString()), advisory.arg(QString())}, u"application-locks"_s, {});
        row("advisory lock and row",
            {u"select pg_advisory_xact_lock(5)"_s, u"update orders set note = 'm' where id = 4"_s},
            {u"update orders set note = 'k' where id = 4"_s, u"select pg_advisory_xact_lock(5)"_s},
            u"application-lock-and-row"_s, {});
    }
    void cures()
    {
        FETCH(QStringList, first, QStringList, second, QString, id, QString, cure);
        Sessions sessions = beginAll(*m_server, m_url, int(first.size()));
        for (size_t i = 0; i + 1 < sessions.size(); ++i)
            QVERIFY(sessions[i]->run(u"set deadlock_timeout = '1h'"_s));
        makeRing(sessions, first, second);
        QTRY_COMPARE(deadlocksWith(*m_server, sessions).size(), 1);
        const QList<Finding> findings = findingsOf(deadlocksWith(*m_server, sessions).first());
        QCOMPARE(findings.first().id, id);
        QVERIFY(!findings.first().cure.isEmpty());
        if (!cure.isEmpty())
            QCOMPARE(cureLine(findings), cure);
    }

    void severalAtOnce()
    {
        Sessions one = beginAll(*m_server, m_url, 2);
        Sessions other = beginAll(*m_server, m_url, 2);
        const auto lock = [](int key) { return u"select pg_advisory_xact_lock(%1)"_s.arg(key); };
        makeRing(one, {lock(11), lock(12)}, {lock(12), lock(11)});
        makeRing(other, {lock(21), lock(22)}, {lock(22), lock(21)});
        QTRY_COMPARE(deadlocksWith(*m_server, one).size(), 1);
        QTRY_COMPARE(deadlocksWith(*m_server, other).size(), 1);
        QVERIFY(deadlocksWith(*m_server, one).first().report->source.eventKey
            != deadlocksWith(*m_server, other).first().report->source.eventKey);
    }

    void everyFormOfTheLog_data()
    {
        QTest::addColumn<QByteArray>("language");
        QTest::addColumn<QByteArray>("words"); ///< that its detail has in this language
        QTest::newRow("English") << QByteArray() << QByteArray("waits for");
        QTest::newRow("German") << QByteArray("de") << QByteArray("wartet auf");
        QTest::newRow("French") << QByteArray("fr") << QByteArray("attend");
        QTest::newRow("Russian") << QByteArray("ru") << QByteArray("ожидает");
        QTest::newRow("Japanese") << QByteArray("ja") << QByteArray("待機");
        QTest::newRow("Chinese") << QByteArray("zh_CN") << QByteArray("正在等待");
        QTest::newRow("Korean") << QByteArray("ko") << QByteArray("지연");
    }
    void everyFormOfTheLog()
    {
        FETCH(QByteArray, language, QByteArray, words);
        const LoggingServer server(language);
        const auto one = server.session();
        const auto other = server.session();
        QByteArray heard;
        const auto hears = [&](QProcess& psql, const QByteArray& what) {
            psql.waitForReadyRead(20);
            heard += psql.readAll();
            return heard.contains(what);
        };
        one->write("create table public.a (id int primary key); insert into public.a values (1), (2);\n"
                   "begin;\nlock table public.a in share update exclusive mode;\n\\echo first\n");
        QTRY_VERIFY2(hears(*one, "first"), heard);
        other->write("begin;\nselect pg_advisory_xact_lock(7);\n\\echo second\n");
        QTRY_VERIFY2(hears(*other, "second"), heard);
        one->write("select pg_advisory_xact_lock(7);\n");
        other->write("lock table public.a in share mode;\n");
        for (QProcess* psql : {one.get(), other.get()})
            psql->closeWriteChannel();
        QTRY_VERIFY(one->state() == QProcess::NotRunning && other->state() == QProcess::NotRunning);
        if (!server.log(u"log"_s).contains(words))
            QSKIP("this PostgreSQL has no such translation");
        QString family;
        for (const QString& form : {u"log"_s, u"csv"_s, u"json"_s}) {
            if (server.log(form).isEmpty())
                continue; // before version 15
            const auto reports = readReports(server.log(form), form);
            QVERIFY(reports);
            QVERIFY2(reports->size() == 1, server.log(form));
            const ReportPtr& report = reports->first();
            QCOMPARE(report->cycles.size(), 1);
            QSet<ResourceKind> kinds;
            for (const LockedThing& thing : report->resources)
                kinds.insert(thing.kind);
            QCOMPARE(kinds, (QSet<ResourceKind>{ResourceKind::Relation, ResourceKind::ApplicationLock}));
            QSet<QString> statements;
            for (const Participant& each : report->participants)
                statements.insert(each.statement);
            QCOMPARE(statements,
                (QSet<QString>{
                    u"select pg_advisory_xact_lock(7);"_s, u"lock table public.a in share mode;"_s}));
            QVERIFY(report->time.at && report->time.isZoneKnown);
            QCOMPARE(report->participants.first().user, u"lockscope"_s);
            QCOMPARE(report->participants.first().database, u"postgres"_s);
            // All forms describe the same deadlock.
            const QString found = familyOf(deadlocksOf(report).first());
            QCOMPARE(found, family.isEmpty() ? found : family);
            family = found;
        }
    }

    void waitsInEveryFormOfTheLog_data() { everyFormOfTheLog_data(); }

    /// `log_lock_waits`, which is on by default from version 19 on.
    void waitsInEveryFormOfTheLog()
    {
        QFETCH(QByteArray, language);
        const LoggingServer server(language, {u"log_lock_waits=on"_s});
        const auto holder = server.session();
        const auto waiter = server.session();
        QByteArray heard;
        const auto hears = [&heard](QProcess& psql, const QByteArray& what) {
            psql.waitForReadyRead(20);
            heard += psql.readAll();
            return heard.contains(what);
        };
        const auto written = [&server](const QString& form) {
            const SourceFormat format = form == u"csv" ? SourceFormat::PostgresCsv
                : form == u"json"                      ? SourceFormat::PostgresJson
                                                       : SourceFormat::PostgresText;
            QList<ReportPtr> waits;
            for (const LogPiece::Found& found :
                readLogPiece(server.log(form), format, form, Behind::Nothing).found)
                if (found.report->kind == ReportKind::Blocked)
                    waits << found.report;
            return waits;
        };
        holder->write(
            "create table public.a (id int primary key); insert into public.a values (1);\n"
            "begin;\nupdate public.a set id = 2;\nselect 'pid ' || pg_backend_pid();\n\\echo held\n");
        QTRY_VERIFY2(hears(*holder, "held"), heard);
        static const QRegularExpression pid(u"pid (\\d+)"_s);
        const qint64 holding = pid.match(QString::fromUtf8(heard)).captured(1).toLongLong();
        waiter->write("set application_name = 'orders';\nupdate public.a set id = 3;\n");
        const bool hasJson = !server.log(u"json"_s).isEmpty(); // from version 15 on
        QTRY_VERIFY2(written(u"csv"_s).size() == 1, server.log(u"csv"_s).right(900));
        holder->write("commit;\n");
        for (QProcess* psql : {holder.get(), waiter.get()})
            psql->closeWriteChannel();
        QTRY_VERIFY(holder->state() == QProcess::NotRunning && waiter->state() == QProcess::NotRunning);
        for (const QString& form : {u"log"_s, u"csv"_s, u"json"_s}) {
            if (form == u"json"_s && !hasJson)
                continue;
            const QList<ReportPtr> waits = written(form);
            QVERIFY2(waits.size() == 1, server.log(form).right(900));
            const DeadlockReport& wait = *waits.first();
            QCOMPARE(wait.links.size(), 1);
            QCOMPARE(wait.participants[wait.links.first().blocker].session, SessionId{holding});
            const Participant& one = wait.participants[wait.links.first().waiter];
            QVERIFY(one.session.isValid() && one.session != SessionId{holding});
            QVERIFY(*one.waited >= milliseconds(50)); // deadlock_timeout
            QCOMPARE(one.statement, u"update public.a set id = 3;"_s);
            QVERIFY(form == u"log"_s || one.program == u"orders"_s);
            QCOMPARE(wait.links.first().awaited, u"ShareLock"_s);
            QCOMPARE(wait.resources.first().kind, ResourceKind::TransactionId);
            QVERIFY2(wait.resources.first().table.endsWith(u"a"), qPrintable(wait.resources.first().name));
            QVERIFY(wait.time.at && wait.time.isZoneKnown);
            // A user who opens the log as a file looks for deadlocks.
            QVERIFY(readReports(server.log(form), form).value_or(QList<ReportPtr>()).isEmpty());
        }
    }

private:
    TestServer* m_server = &TestServer::shared();
    db::ServerUrl m_url;
    QSet<QString> m_families; ///< of different deadlocks
};

LOCKSCOPE_TEST(tst_DeadlockLog)

} // namespace tst_DeadlockLog
#include "tst_DeadlockLog.moc"
