// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// The cure and the findings of each shape of deadlock, and near misses: shapes that differ in one thing, so
// that a rule must not apply.

#include "core/deadlock/Finding.h"
#include "core/deadlock/ReadReports.h"
#include "tests/support/DeadlockReports.h"
#include "tests/support/TestProgram.h"

namespace tst_DeadlockFindings {

using namespace lockscope;
using namespace lockscope::deadlock;

/// A text of a report's file, and what stands in its place.
using Change = std::pair<const char*, const char*>;
using Changes = QList<Change>;

static Deadlock deadlockIn(const QString& file, const Changes& changes)
{
    QByteArray text = test::deadlockFile(file);
    for (const auto& [before, after] : changes) {
        if (!text.contains(before))
            qFatal("%s has no %s", qPrintable(file), before);
        text.replace(before, after);
    }
    const auto reports = readReports(text, file);
    if (!reports || reports->size() != 1 || deadlocksOf(reports->first()).isEmpty())
        qFatal("%s is not one deadlock", qPrintable(file));
    return deadlocksOf(reports->first()).first();
}

/// It checks a foreign key without a statement.
const Change postgres19{
    "\n\tSQL statement \"SELECT 1 FROM ONLY \"public\".\"customers\" x WHERE \"id\" OPERATOR(pg_catalog.=) $1 FOR KEY SHARE OF x\"",
    ""};

static QStringList idsOf(const QList<Finding>& findings)
{
    QStringList ids;
    for (const Finding& each : findings)
        if (each.id != u"victim"_s && each.id != u"capture"_s)
            ids << each.id;
    return ids;
}

class tst_DeadlockFindings : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void cureOfEachShape_data()
    {
        test::addColumns<QString, QString, QStringList>("file", "cure", "ids");
        const auto row = [](const char* file, const QString& cure, const QStringList& ids) {
            test::row(file, file, cure, ids);
        };
        row("opposite-order.xdl",
            u"Lock in one order: first dbo.customers, then dbo.orders. Both: UPDATE dbo.customers SET points = 10 WHERE id = 7; UPDATE dbo.orders SET state = 2 WHERE id = 1 (certain)"_s,
            {u"opposite-order"_s});
        row("conversion.xdl",
            u"Lock at the first reading: SELECT … FROM dbo.ledger WITH (UPDLOCK) WHERE id = 55; then UPDATE dbo.ledger SET balance = balance - 10 WHERE id = 55; UPDATE dbo.ledger SET balance = balance - 75.5 WHERE id = 55 (certain)"_s,
            {u"conversion"_s, u"isolation"_s});
        row("convert-owners.xdl",
            u"Lock at the first reading: SELECT … FROM dbo.ledger WITH (UPDLOCK) WHERE id = 55; then UPDATE dbo.ledger SET balance = 1 WHERE id = 55; UPDATE dbo.ledger SET balance = 2 WHERE id = 55 (certain)"_s,
            {u"conversion"_s});
        row("range-locks.xdl",
            u"Lock at the first reading: SELECT … FROM dbo.seats WITH (UPDLOCK, HOLDLOCK) WHERE …; then INSERT INTO dbo.seats (id, row) VALUES (5, 2); INSERT INTO dbo.seats (id, row) VALUES (6, 2) (certain)"_s,
            {u"conversion"_s, u"isolation"_s, u"missing-index"_s});
        row("key-lookup.xdl",
            u"Let the index IX_orders_customer of dbo.orders have all columns that the query reads (INCLUDE), so that it needs no second lock: SELECT note, total FROM dbo.orders WHERE customer = 7 (likely)"_s,
            {u"key-lookup"_s, u"reader-blocks-writer"_s, u"reader-writer"_s});
        row("reader-writer.xdl",
            u"Let queries read row versions instead of waiting: ALTER DATABASE [Shop] SET READ_COMMITTED_SNAPSHOT ON (likely)"_s,
            {u"reader-writer"_s, u"reader-blocks-writer"_s, u"missing-index"_s});
        row("foreign-key.xdl",
            u"Make an index on the column of dbo.orders that refers to dbo.customers, so that the check reads only its own rows: CREATE INDEX … ON dbo.orders (…) (possible)"_s,
            {u"foreign-key"_s, u"opposite-order"_s});
        row("batch-order.xdl",
            u"Change the rows of dbo.stock in the order of their key in all transactions. Both: UPDATE dbo.stock SET n = n - 1 WHERE id = 4; UPDATE dbo.stock SET n = n - 1 WHERE id = 9 (likely)"_s,
            {u"batch-order"_s, u"same-module"_s});
        row("escalation.xdl",
            u"Change fewer than 5,000 rows in a statement, in portions that commit: UPDATE TOP (2000) … until none is left: UPDATE dbo.orders SET state = 3 WHERE state = 2 (likely)"_s,
            {u"escalation"_s, u"conversion"_s, u"table-lock"_s, u"missing-index"_s});
        row("application-locks.xdl",
            u"Take the application locks in one order in all programs: first application lock import02b, then application lock nightly01a. (certain)"_s,
            {u"application-locks"_s});
        row("three-way.xdl",
            u"Lock in one order: first dbo.a, then dbo.b, then dbo.c. All: UPDATE dbo.a SET n = 1 WHERE id = 1; UPDATE dbo.b SET n = 1 WHERE id = 1; UPDATE dbo.c SET n = 1 WHERE id = 1 (certain)"_s,
            {u"longer-cycle"_s});
        row("parallel.xdl",
            u"Run the statement with OPTION (MAXDOP 1), or make the index with which it reads few rows: SELECT sum(total) FROM dbo.orders GROUP BY customer (certain)"_s,
            {u"parallel"_s});
        row("parallel-page.xdl", u""_s, {u"reader-blocks-writer"_s, u"missing-index"_s});
        row("optimized-locking.xdl",
            u"Lock in one order: first dbo.customers, then dbo.orders. Both: UPDATE dbo.customers SET points = 1 WHERE id = 7; UPDATE dbo.orders SET state = 2 WHERE id = 1 (certain)"_s,
            {u"opposite-order"_s});
        row("trace-1204.log",
            u"Lock in one order: first dbo.customers, then dbo.orders. Both: UPDATE dbo.customers SET points = 10 WHERE id = 7; UPDATE dbo.orders SET state = 2 WHERE id = 1 (certain)"_s,
            {u"opposite-order"_s});
        row("postgres-two-tables.log",
            u"Lock in one order: first orders, then stock. Both: UPDATE orders SET state = 2 WHERE id = 1; UPDATE stock SET n = n - 1 WHERE id = 7 (likely)"_s,
            {u"opposite-order"_s});
        row("postgres-stderr.log",
            u"Lock all rows that a transaction changes at its beginning, in the order of their key: SELECT … FROM orders WHERE … ORDER BY … FOR UPDATE; then UPDATE orders SET note = 'a' WHERE id = 2 (possible)"_s,
            {u"batch-order"_s});
        row("postgres-upgrade-row.log",
            u"Lock the row at its first use, before any weaker lock of it, and several in the order of their key: SELECT … FROM accounts WHERE id = 1 ORDER BY … FOR UPDATE; then UPDATE accounts SET balance = 5 WHERE id = 1 (likely)"_s,
            {u"conversion"_s, u"batch-order"_s});
        row("postgres-alter.log",
            u"Lock the table at the beginning of the transaction, before it is used: LOCK TABLE orders IN ACCESS EXCLUSIVE MODE; then ALTER TABLE orders ADD COLUMN note text (likely)"_s,
            {u"conversion"_s, u"table-lock"_s});
        row("postgres-two-relations.log",
            u"Lock in one order: first orders, then stock. Both: LOCK TABLE orders; LOCK TABLE stock (likely)"_s,
            {u"opposite-order"_s, u"table-lock"_s});
        row("postgres-unique.log",
            u"Insert the same keys in one order: sort the rows of each transaction by coupons.coupons_code_key. Both: INSERT INTO coupons (code) VALUES ('a'); INSERT INTO coupons (code) VALUES ('b') (likely)"_s,
            {u"unique-inserts"_s});
        row("postgres-foreign-key.log",
            u"Lock in one order: first customers, then stock. In all transactions; INSERT INTO orders (customer) VALUES (7) locks customers without naming it. (likely)"_s,
            {u"foreign-key"_s, u"opposite-order"_s});
        row("postgres-advisory-row.log",
            u"Take advisory lock [5,0,77,1] before the transaction locks anything else, in all programs. (certain)"_s,
            {u"application-lock-and-row"_s});
        row("postgres-concurrently.log",
            u"Don't wait in pg_advisory_lock(): call pg_try_advisory_lock() again and again, each time in a statement of its own, so that no waiting transaction is open while an index is made CONCURRENTLY. (certain)"_s,
            {u"create-index-concurrently"_s, u"application-lock-and-row"_s});
        row("postgres-french.log",
            u"Take the application locks in one order in all programs: first advisory lock [16384,0,1,1], then advisory lock [16384,0,2,1]. (certain)"_s,
            {u"application-locks"_s});
    }
    void cureOfEachShape()
    {
        FETCH(QString, file, QStringList, ids);
        const QList<Finding> findings = findingsOf(deadlockIn(file, {}));
        QTEST(cureLine(findings), "cure");
        QCOMPARE(idsOf(findings), ids);
        for (const Finding& each : findings) {
            QVERIFY2(!each.says.isEmpty() && !each.restsOn.isEmpty(), qPrintable(each.id));
            // Each finding that is not certain says why.
            QCOMPARE(each.hedge.isEmpty(), each.certainty == Certainty::Certain);
            QVERIFY(each.cure.isEmpty() || &each == &findings.first());
        }
    }

    void cureOfAnotherShape_data()
    {
        test::addColumns<QString, Changes>("file", "changes");
        QTest::addColumn<QString>("cure"); ///< its beginning
        const auto row = [](const char* name, const char* file, const Changes& changes, const QString& cure) {
            test::row(name, file, changes, cure);
        };
        const char* const conversion = "conversion.xdl";
        const char* const order = "opposite-order.xdl";
        const char* const reader = "reader-writer.xdl";
        const Change ledger{"UPDATE dbo.ledger SET", "UPDATE [dbo].[My Ledger] SET"};
        row("a name in brackets", conversion, {ledger, {"Shop.dbo.ledger", "Shop.dbo.My Ledger"}},
            u"Lock at the first reading: SELECT … FROM [dbo].[My Ledger] WITH (UPDLOCK) WHERE id = 55; then "_s);
        row("WHERE in a text", conversion,
            {{"balance = balance - 10", "note = 'WHERE it is', n = (SELECT 1 WHERE 1 = 1)"}},
            u"Lock at the first reading: SELECT … FROM dbo.ledger WITH (UPDLOCK) WHERE id = 55; then "_s);
        row("columns of an alias", conversion,
            {{"UPDATE dbo.ledger SET", "UPDATE l SET"},
                {"WHERE id = 55", "FROM dbo.ledger l WHERE l.id = 55"}},
            u"Lock at the first reading: SELECT … FROM dbo.ledger WITH (UPDLOCK) WHERE …; then "_s);
        row("one name in two schemas", order,
            {{"dbo.customers", "a.orders"}, {"UPDATE dbo.orders", "UPDATE b.orders"},
                {"Shop.dbo.orders", "Shop.b.orders"}},
            u"Lock in one order: first a.orders, then b.orders. Both: "_s);
        row("one name in two databases", order,
            {{"UPDATE dbo.customers", "UPDATE Old.dbo.orders"}, {"Shop.dbo.customers", "Old.dbo.orders"}},
            u"Lock in one order: first Old.dbo.orders, then Shop.dbo.orders. Both: "_s);
        row("keys may give the order", order,
            {{"UPDATE dbo.customers SET points = 10 WHERE id = 7",
                "INSERT INTO dbo.customers (id) VALUES (7)"}},
            u"Lock in one order in all transactions, for instance first dbo.customers, then dbo.orders: "_s);
        row("the order that a check needs", order,
            {{"UPDATE dbo.customers SET points = 10 WHERE id = 7", "INSERT dbo.audit (id) SELECT 7"},
                {"<waiter id=\"process2b20\" mode=\"X\"", "<waiter id=\"process2b20\" mode=\"S\""}},
            u"Lock in one order: first dbo.customers, then dbo.orders. In all transactions; INSERT dbo.audit"_s);
        row("row versions of the lock's database", reader, {{"objectname=\"Shop.", "objectname=\"Other."}},
            u"Let queries read row versions instead of waiting: ALTER DATABASE [Other] SET"_s);
        row("row versions, a text", reader, {{"WHERE state = 1", "WHERE state = 'DELETE' /* UPDATE */"}},
            u"Let queries read row versions"_s);
        row("row versions, IF", reader,
            {{"SELECT total FROM dbo.orders WHERE state = 1", "IF EXISTS (SELECT 1 FROM dbo.orders)"}},
            u"Let queries read row versions"_s);
        row("row versions, a table of values", reader,
            {{"SELECT total FROM", "(@t dbo.Ids READONLY,@p nvarchar(40))SELECT total FROM"}},
            u"Let queries read row versions"_s);
        row("an update lock's conversion", "key-lookup.xdl",
            {{"<owner id=\"process1a10\" mode=\"S\"/>",
                 "<owner id=\"process1a10\" mode=\"S\"/><owner id=\"process2b20\" mode=\"U\"/>"},
                {"<waiter id=\"process2b20\" mode=\"X\" requestType=\"wait\"",
                    "<waiter id=\"process2b20\" mode=\"X\" requestType=\"convert\""}},
            u"Let the index IX_orders_customer of dbo.orders have all columns"_s);
        const char* const upgrade = "postgres-upgrade-row.log";
        const Changes several{{"WHERE id = 1", "WHERE state = 'new' AND slow(id)"},
            {"tuple (0,1) of relation 16390 of database 5", "transaction 742"}};
        row("rows of one condition", upgrade, several,
            u"Lock all rows that a transaction changes at its beginning, in the order of their key: SELECT … FROM accounts WHERE … ORDER BY … FOR UPDATE; then "_s);
        row("a table's mode that excludes itself", "postgres-alter.log",
            {{"AccessExclusiveLock", "ShareLock"}},
            u"Lock the table at the beginning of the transaction, before it is used: LOCK TABLE orders IN SHARE ROW EXCLUSIVE MODE; "_s);
        row("a name in quotes", "postgres-alter.log", {{"ALTER TABLE orders", "ALTER TABLE \"My Orders\""}},
            u"Lock the table at the beginning of the transaction, before it is used: LOCK TABLE \"My Orders\" IN ACCESS"_s);
        row("a check of a deleted row", "postgres-foreign-key.log",
            {{"INSERT INTO orders (customer) VALUES (7)", "DELETE FROM lists WHERE id = 1"}},
            u"Lock in one order: first stock, then customers. In all transactions; DELETE FROM lists"_s);
        row("a check of PostgreSQL 19", "postgres-foreign-key.log", {postgres19},
            u"Lock in one order: first customers, then stock. In all transactions; INSERT INTO orders (customer) VALUES (7) locks customers without naming it. (likely)"_s);
        row("one application lock", "postgres-french.log", {{"[16384,0,2,1]", "[16384,0,1,1]"}},
            u"Take advisory lock [16384,0,1,1] exclusively at first"_s);
    }
    void cureOfAnotherShape()
    {
        FETCH(QString, file, Changes, changes, QString, cure);
        const QString found = cureLine(findingsOf(deadlockIn(file, changes)));
        VERIFY_STARTS(found, cure);
    }

    /// The statement's beginning is found in one pass, however many comments and options stand before it.
    void longBeginningsTakeNoTime()
    {
        const QString begins = (u"/* a comment */\n"_s + u"SET NOCOUNT ON;\n"_s).repeated(50'000);
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(bareStatement(begins + u"UPDATE t SET n = 1"_s), u"UPDATE t SET n = 1"_s);
        QVERIFY2(timer.elapsed() < 5'000, qPrintable(QString::number(timer.elapsed())));
    }

    void nearMisses_data()
    {
        test::addColumns<QString, Changes, Changes, QString>("file", "fires", "misses", "id");
        const auto row = [](const char* name, const char* id, const char* file, const Changes& fires,
                             const Changes& misses) { test::row(name, file, fires, misses, id); };
        const auto readers = [&row](const char* name, const Change& miss) {
            row(name, "reader-writer", "reader-writer.xdl", {}, {miss});
        };
        const auto check = [&row](const char* name, const Changes& fires, const Changes& misses) {
            row(name, "foreign-key", "postgres-foreign-key.log", fires, misses);
        };
        const Change query{"SELECT total FROM dbo.orders", "SELECT total FROM dbo.orders WITH (HOLDLOCK)"};
        readers("row versions, a hint", query);
        readers("row versions, repeatable read", {"read committed (2)", "repeatable read (3)"});
        readers("row versions, serializable", {"read committed (2)", "serializable (4)"});
        readers("row versions, a server's database", {"objectname=\"Shop.", "objectname=\"tempdb."});
        check("a check that is none", {}, {{"FOR KEY SHARE OF x", "FOR UPDATE"}});
        readers("row versions, a range", {"mode=\"S\"", "mode=\"RangeS-S\""});
        readers("row versions, a writer",
            {"SELECT total FROM dbo.orders WHERE state = 1",
                "(@p int)INSERT INTO dbo.sums SELECT total FROM dbo.orders"});
        readers("row versions, a writer behind WITH",
            {"SELECT total FROM dbo.orders WHERE state = 1",
                "WITH t AS (SELECT 1 AS a) UPDATE dbo.orders SET n = 1"});
        row("a reader in a writer's way", "reader-blocks-writer", "reader-writer.xdl", {},
            {{"mode=\"S\"", "mode=\"IX\""}});
        row("heap", "heap", "opposite-order.xdl",
            {{"keylock", "ridlock"}, {"indexname=\"PK_customers\" ", ""}, {"indexname=\"PK_orders\" ", ""}},
            {});
        row("serializable", "isolation", "opposite-order.xdl", {{"read committed (2)", "serializable (4)"}},
            {});
        row("one module", "same-module", "opposite-order.xdl", {{"Shop.dbo.bonus", "Shop.dbo.pay"}}, {});
        row("texts are no module", "same-module", "opposite-order.xdl", {{"Shop.dbo.bonus", "Shop.dbo.pay"}},
            {{"Shop.dbo.bonus", "adhoc"}, {"Shop.dbo.pay", "adhoc"}});
        row("a table", "table-lock", "escalation.xdl", {}, {{"mode=\"X\"", "mode=\"IX\""}});
        row("escalation, a hint", "escalation", "escalation.xdl", {},
            {{"UPDATE dbo.orders SET", "UPDATE dbo.orders WITH (TABLOCKX) SET"}});
        row("a costly victim", "costly-victim", "opposite-order.xdl",
            {{"logused=\"200\"", "logused=\"21000000\""}}, {});
        row("an implicit transaction", "open-transaction", "opposite-order.xdl",
            {{"transactionname=\"user_transaction\"", "transactionname=\"implicit_transaction\""}}, {});
        row("a sleeping session", "open-transaction", "opposite-order.xdl",
            {{"status=\"suspended\"", "status=\"sleeping\""}},
            {{"status=\"suspended\"", "status=\"sleeping\""}, {"trancount=\"2\"", "trancount=\"0\""}});
        row("a job", "agent-job", "opposite-order.xdl",
            {{"clientapp=\"Shop\"",
                "clientapp=\"SQLAgent - TSQL JobStep (Job 0x0123456789ABCDEF0011223344556677 : Step 2)\""}},
            {{"clientapp=\"Shop\"", "clientapp=\"SQLAgent - Job invocation engine\""}});
        row("threads without a session", "parallel", "batch-order.xdl", {{"spid=\"63\"", "spid=\"52\""}},
            {{"spid=\"52\"", ""}, {"spid=\"63\"", ""}});
        row("a key that others insert", "unique-inserts", "postgres-unique.log", {},
            {{"INSERT INTO coupons (code) VALUES ('a')", "UPDATE coupons SET n = 1"}});
        check("a check of a foreign key", {},
            {{"INSERT INTO orders (customer) VALUES (7)", "UPDATE customers SET name = 'x'"}});
        const char* const insert = "INSERT INTO orders (customer) VALUES (7)";
        for (const char* other : {"INSERT INTO orders (customer) VALUES (7) ON CONFLICT DO NOTHING",
                 "INSERT INTO orders (customer) SELECT n FROM those_locked", "UPDATE orders SET customer = 7",
                 "INSERT INTO orders (customer) VALUES (7); UPDATE parts SET n = 1"})
            check(other, {postgres19}, {postgres19, {insert, other}});
        check("an exclusion constraint of a partition", {postgres19},
            {postgres19, {"while locking tuple", "while checking exclusion constraint on tuple"}});
        check("a trigger", {postgres19},
            {{"SELECT 1 FROM ONLY \"public\".\"customers\" x WHERE \"id\" OPERATOR(pg_catalog.=) $1 FOR KEY SHARE OF x",
                "SELECT FROM customers FOR UPDATE"}});
        row("a row's upgrade", "conversion", "postgres-upgrade-row.log", {},
            {{"UPDATE accounts SET balance = 6", "UPDATE others SET balance = 6"}});
        row("a table's upgrade", "conversion", "postgres-alter.log", {},
            {{"Process 4712 waits for AccessExclusiveLock on relation 16390",
                "Process 4712 waits for AccessExclusiveLock on relation 16402"}});
        row("an index made concurrently", "create-index-concurrently", "postgres-concurrently.log", {},
            {{"virtual transaction 4/12", "transaction 742"}});
        row("advisory lock against row", "application-lock-and-row", "postgres-advisory-row.log", {},
            {{"transaction 741", "advisory lock [5,0,78,1]"}});
    }
    void nearMisses()
    {
        FETCH(QString, file, Changes, fires, Changes, misses, QString, id);
        QVERIFY(idsOf(findingsOf(deadlockIn(file, fires))).contains(id));
        if (fires.isEmpty() || !misses.isEmpty())
            QVERIFY(!idsOf(findingsOf(deadlockIn(file, misses))).contains(id));
        else
            QVERIFY(!idsOf(findingsOf(deadlockIn(file, {}))).contains(id));
    }

    void adviceIsOfTheEngine_data()
    {
        QTest::addColumn<QString>("never");
        for (const char* file : {"conversion.xdl", "range-locks.xdl", "batch-order.xdl", "opposite-order.xdl",
                 "reader-writer.xdl", "key-lookup.xdl", "escalation.xdl", "three-way.xdl", "foreign-key.xdl"})
            test::row(file, "FOR UPDATE");
        for (const char* file : {"postgres-upgrade-row.log", "postgres-stderr.log", "postgres-alter.log",
                 "postgres-unique.log", "postgres-two-tables.log", "postgres-foreign-key.log"})
            test::row(file, "UPDLOCK");
    }
    void adviceIsOfTheEngine()
    {
        QFETCH(QString, never);
        for (const Finding& each : findingsOf(deadlockIn(QString::fromLatin1(QTest::currentDataTag()), {})))
            for (const QString& text : {each.says, each.cure, each.wouldProve, each.hedge})
                VERIFY_LACKS(text, never);
    }

    void agentJobsHaveTheirId()
    {
        const QList<Finding> findings = findingsOf(deadlockIn(u"opposite-order.xdl"_s,
            {{"clientapp=\"Shop\"",
                "clientapp=\"SQLAgent - TSQL JobStep (Job 0x0123456789ABCDEF0011223344556677 : Step 2)\""}}));
        const auto job =
            std::ranges::find_if(findings, [](const Finding& each) { return each.id == u"agent-job"; });
        QVERIFY(job != findings.cend());
        QVERIFY2(job->says.contains(u"is step 2 of a job"_s)
                && job->says.contains(u"job_id = '67452301-AB89-EFCD-0011-223344556677'"_s),
            qPrintable(job->says));
    }
};

LOCKSCOPE_TEST(tst_DeadlockFindings)

} // namespace tst_DeadlockFindings
#include "tst_DeadlockFindings.moc"
