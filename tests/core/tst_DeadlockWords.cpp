// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Texts about deadlocks that were read: findings, families, sentences, and files to pass on.

#include "core/deadlock/DeadlockExport.h"
#include "core/deadlock/Finding.h"
#include "core/deadlock/ReadReports.h"
#include "core/report/Writer.h"
#include "tests/support/DeadlockReports.h"
#include "tests/support/HostileNames.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TestProgram.h"

namespace tst_DeadlockWords {

using namespace lockscope;
using namespace lockscope::deadlock;
using namespace lockscope::test;

class tst_DeadlockWords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatTheReportLacksComesLast()
    {
        const QList<Finding> all = findingsOf(deadlocksOf(oneDeadlock(u"ill-formed.xdl"_s)).first());
        QVERIFY(!all.first().cure.isEmpty());
        QCOMPARE(all.last().id, u"capture"_s);
        const auto firstRemark =
            std::ranges::find_if(all, [](const Finding& each) { return each.id == u"capture"_s; });
        QVERIFY(std::all_of(
            firstRemark, all.cend(), [](const Finding& each) { return each.id == u"capture"_s; }));
        QCOMPARE((firstRemark - 1)->id, u"victim"_s);
        // The cure is the first thing that is said, remarks on the report are the last.
        const QString text = rendered(toReport({oneDeadlock(u"ill-formed.xdl"_s)}), report::Form::Text);
        const QList<qsizetype> places{text.indexOf(u"This is the cure: Lock in one order"_s),
            text.indexOf(u"\nWhy:"_s), text.indexOf(u"\nWho waits for whom"_s),
            text.indexOf(u"\nRemarks on the report:"_s)};
        QVERIFY(!places.contains(-1));
        QVERIFY2(std::is_sorted(places.cbegin(), places.cend()), qPrintable(text));
    }

    void whyTheVictimWasChosen()
    {
        const auto victimText = [](const QString& name) {
            const QList<Finding> all = findingsOf(deadlocksOf(oneDeadlock(name)).first());
            return std::ranges::find_if(all, [](const Finding& each) {
                return each.id == u"victim"_s;
            })->says;
        };
        QVERIFY(victimText(u"priority.xdl"_s).contains(u"DEADLOCK_PRIORITY (-5)"_s));
        QVERIFY(victimText(u"opposite-order.xdl"_s).contains(u"200 bytes"_s));
        QVERIFY(victimText(u"postgres-stderr.log"_s).contains(u"noticed first"_s));
    }

    void familiesAreTheSameInAnyOrder()
    {
        const Deadlock one = deadlocksOf(oneDeadlock(u"opposite-order.xdl"_s)).first();
        auto turned = std::make_shared<DeadlockReport>(*one.report);
        std::reverse(turned->edges.begin(), turned->edges.end());
        turned->victims = {1};
        for (Participant& each : turned->participants) {
            each.statement.replace(u"= 1"_s, u"=   77"_s).replace(u"UPDATE"_s, u"update"_s);
            each.session.value += 100;
            each.host = u"APP02"_s;
        }
        findCycles(*turned);
        QVERIFY(turned->cycles.first().links.first() != one.cycle().links.first());
        QCOMPARE(familyOf(deadlocksOf(turned).first()), familyOf(one));
        QVERIFY(familyOf(one).startsWith(QString::number(familyVersion) + u'-'));
    }

    void familiesDifferByWhatMatters()
    {
        QStringList ids;
        for (const QString& name : {u"opposite-order.xdl"_s, u"conversion.xdl"_s, u"key-lookup.xdl"_s,
                 u"three-way.xdl"_s, u"batch-order.xdl"_s, u"postgres-stderr.log"_s}) {
            const QString id = familyOf(deadlocksOf(oneDeadlock(name)).first());
            QVERIFY(!ids.contains(id));
            ids << id;
        }
        QCOMPARE(statementShape(u"(@P0 int,@P1 nvarchar(40))UPDATE  t SET a=@P0 WHERE b IN (1, 2,3) ;"_s,
                     Engine::SqlServer),
            u"update t set a=? where b in (?)"_s);
        QCOMPARE(statementShape(u"select * from t where a = $1 and b = 'x' -- why\n"_s, Engine::Postgres),
            u"select * from t where a = ? and b = ?"_s);
    }

    void familiesCount()
    {
        QList<Deadlock> all;
        for (const QString& name :
            {u"three-way.xdl"_s, u"event.xml"_s, u"ring-buffer.xml"_s, u"event-bad-time.xml"_s})
            for (const ReportPtr& report : readDeadlocks(name))
                all << deadlocksOf(report);
        const QList<Family> families = familiesOf(all);
        QCOMPARE(families.size(), 3);
        QCOMPARE(families.first().members.size(), 3);
        QCOMPARE(families.first().title, u"dbo.customers, dbo.orders: X waits for X"_s);
        QCOMPARE(families.first().first, all[1].report->time.at);
        QVERIFY(!families.first().members.last().report->time.at);
        const auto [before, since] = families.first().around(*all[1].report->time.at);
        QCOMPARE(before, 0);
        QCOMPARE(since, 2);
    }

    void theSequenceIsReportedInWords()
    {
        const Deadlock deadlock = deadlocksOf(oneDeadlock(u"opposite-order.xdl"_s)).first();
        QCOMPARE(summaryOf(deadlock),
            u"Session 52 has dbo.customers key (8194443284a0) and waits for dbo.orders key (61a06abd401c); session 63 has dbo.orders key (61a06abd401c) and waits for dbo.customers key (8194443284a0)."_s);
        const QStringList steps = sequenceOf(deadlock);
        QCOMPARE(steps.size(), 6);
        QVERIFY(steps[0].startsWith(
            u"Session 63 (Shop on APP01, user shop_app) had X on dbo.orders.PK_orders key"_s));
        QVERIFY(steps[2].startsWith(u"Session 52 requested X on dbo.orders.PK_orders key"_s));
        QVERIFY(steps[4].contains(u"Each waits for the other"_s));
        QVERIFY(steps[5].contains(u"session 52"_s));
        const QStringList postgres = sequenceOf(deadlocksOf(oneDeadlock(u"postgres-french.log"_s)).first());
        QVERIFY(postgres[0].contains(u"the log does not say which"_s));
        QVERIFY(postgres.last().contains(u"order in which they began to wait is unknown"_s));
    }

    void theRingIsDrawn()
    {
        const QStringList lines = drawingOf(deadlocksOf(oneDeadlock(u"three-way.xdl"_s)).first());
        QCOMPARE(lines.size(), 6);
        QVERIFY(lines[0].startsWith(u"┌─▶ 52 ✗"_s) && lines[0].endsWith(u"held by 63: X"_s));
        QCOMPARE(lines[1], u"│         UPDATE dbo.a SET n = 1 WHERE id = 1"_s);
        QVERIFY(lines[2].startsWith(u"│ ↓ 63"_s));
        QVERIFY(lines[4].startsWith(u"└── 74"_s) && lines[4].endsWith(u"held by 52: X"_s));
    }

    void theSnapshotsOwnRing()
    {
        test::SnapshotBuilder builder;
        builder.session(51, "billing").user("ann").transaction(30).running("UPDATE orders SET n = 1");
        builder.session(63, "import").user("bob").transaction(20).running("UPDATE customers SET n = 1");
        builder.session(70, "report");
        builder.holds(51, "public.customers", "AccessExclusiveLock", 10);
        builder.holds(63, "public.orders", "AccessExclusiveLock", 10);
        builder.waits(51, "public.orders", "ShareLock", 4);
        builder.waits(63, "public.customers", "ShareLock", 3);
        builder.waits(70, "public.orders", "AccessShareLock", 2); // behind, and in no ring
        const SnapshotPtr snapshot = builder.take();
        const ReportPtr report = fromSnapshot(*snapshot);
        QVERIFY(report);
        QCOMPARE(report->kind, ReportKind::Live);
        COMPARE_TEXTS(ringsOf(*report), "51>63");
        QCOMPARE(report->participants.size(), 2);
        QCOMPARE(report->participants.first().user, u"ann"_s);
        COMPARE_TEXTS(deadlocksOf(report).first().tables(), "public.customers", "public.orders");
        for (const Link& link : report->links) {
            QCOMPARE(link.awaited, u"ShareLock"_s);
            QCOMPARE(link.held, u"AccessExclusiveLock"_s);
        }
        COMPARE_TEXTS(test::findingsOf(report), "opposite-order", "table-lock");
        QVERIFY(sequenceOf(deadlocksOf(report).first()).join(u' ').contains(u"has not ended anybody yet"_s));

        test::SnapshotBuilder calm;
        calm.sessions({{51, "billing"}, {63, "import"}});
        calm.holds(51, "public.customers", "AccessExclusiveLock", 10);
        calm.waits(63, "public.customers", "ShareLock", 3);
        QVERIFY(!fromSnapshot(*calm.take()));
    }

    void theSameSessionsInTheirNextTransactionsAreAnotherRing()
    {
        const auto keyOfRing = [](int transactionAge) {
            test::SnapshotBuilder builder;
            builder.session(51, "billing").transaction(transactionAge);
            builder.session(63, "import").transaction(20);
            builder.holds(51, "public.customers", "AccessExclusiveLock", 10);
            builder.holds(63, "public.orders", "AccessExclusiveLock", 10);
            builder.waits(51, "public.orders", "ShareLock", 4);
            builder.waits(63, "public.customers", "ShareLock", 3);
            return fromSnapshot(*builder.take())->source.eventKey;
        };
        QCOMPARE(keyOfRing(30), keyOfRing(30));
        QVERIFY(keyOfRing(30) != keyOfRing(29));
    }

    void xdlIsReadAgain_data()
    {
        QTest::addColumn<int>("nothing");
        for (const char* name :
            {"opposite-order.xdl", "ill-formed.xdl", "convert-owners.xdl", "two-cycles.xdl",
                "parallel-page.xdl", "optimized-locking.xdl", "trace-1222.log", "unknown-elements.xdl"})
            QTest::newRow(name);
    }
    void xdlIsReadAgain()
    {
        const QString name = QString::fromLatin1(QTest::currentDataTag());
        const ReportPtr before = oneDeadlock(name);
        const auto xdl = test::orDie(toXdl({before}));
        QXmlStreamReader strict(xdl);
        while (!strict.atEnd())
            strict.readNext();
        QVERIFY2(!strict.hasError(), qPrintable(strict.errorString()));
        const auto after = test::orDie(readReports(xdl, name));
        QCOMPARE(ringsOf(*after.first()), ringsOf(*before));
        const QList<Deadlock> all = deadlocksOf(before);
        for (qsizetype i = 0; i < all.size(); ++i)
            QCOMPARE(familyOf(deadlocksOf(after.first())[i]), familyOf(all[i]));
        QVERIFY(!toXdl({oneDeadlock(u"postgres.csv"_s)}));
    }

    void thePageIsSmallAndTellsNothingPrivate()
    {
        const QByteArray page = toHtml(readDeadlocks(u"opposite-order.xdl"_s));
        QXmlStreamReader strict(page);
        while (!strict.atEnd())
            strict.readNext();
        QVERIFY2(!strict.hasError(), qPrintable(strict.errorString()));
        for (const char* secret : {"shop_app", "APP01", "state = 2", "<td>Shop on"})
            QVERIFY2(!page.contains(secret), secret);
        QVERIFY(page.contains("account 1") && page.contains("state = ?"));
        QVERIFY(page.contains("default-src 'none'"));
        QVERIFY(!page.contains("style=") && !page.contains("<script") && !page.contains("http:"));
        QVERIFY(toHtml(readDeadlocks(u"opposite-order.xdl"_s), Disclosure::Whole).contains("shop_app"));
        QVERIFY(page.contains("Names of databases, tables, indexes and locks stay"));
        // A statement that begins at a wrong place may begin within a value.
        QVERIFY(toHtml({oneDeadlock(u"postgres-log-like-statement.log"_s)}).contains("<pre>?</pre>"));
        QList<ReportPtr> many;
        for (int i = 0; i < 200; ++i)
            many << oneDeadlock(u"three-way.xdl"_s);
        const QByteArray large = toHtml(many);
        QVERIFY(large.size() < maxPageBytes);
        QVERIFY(large.contains("more are left out"));
        // Text from reports never becomes mark-up.
        QVERIFY(toHtml(readDeadlocks(u"ill-formed.xdl"_s), Disclosure::Whole)
                    .contains("R&amp;D &lt;Reports&gt;"));
    }

    void programsGetAll()
    {
        const auto json = [](const QList<ReportPtr>& reports) {
            return QJsonDocument::fromJson(rendered(toReport(reports), report::Form::Json).toUtf8()).object();
        };
        const QList<ReportPtr> reports{oneDeadlock(u"event.xml"_s), oneDeadlock(u"three-way.xdl"_s)};
        const QJsonObject all = json(reports);
        const QJsonValue first = all[u"deadlocks"][0];
        QCOMPARE(first[u"time"].toString(), u"2026-11-22T03:12:07.123000Z"_s);
        QCOMPARE(first[u"victims"].toArray(), QJsonArray{u"52"_s});
        QCOMPARE(all[u"participants"][0][u"session"].toInt(), 52);
        QCOMPARE(all[u"locks"][0][u"table"].toString(), u"dbo.customers"_s);
        QCOMPARE(all[u"findings"][0][u"finding"].toString(), u"opposite-order"_s);
        // The tables of all deadlocks are one.
        QCOMPARE(all[u"deadlocks"].toArray().size(), 2);
        QCOMPARE(all[u"waits"].toArray().size(), 5);
        QCOMPARE(all[u"waits"][4][u"deadlock"].toInt(), 2);
        const QString csv = rendered(toReport(reports), report::Form::Csv);
        QCOMPARE(csv.count(u"table,deadlock,ring,waiter,"_s), 1);
        QCOMPARE(csv.count(u"\nwaits,"_s), 5);
        QVERIFY(json({oneDeadlock(u"event-bad-time.xml"_s)})[u"deadlocks"][0][u"time"].isNull());
    }

    void namesOfOthersDeceiveNobody()
    {
        auto evil = std::make_shared<DeadlockReport>(*oneDeadlock(u"opposite-order.xdl"_s));
        const QString name = test::shortHostileName + u"</svg></pre><b>*`|"_s;
        for (Participant& each : evil->participants) {
            each.user = each.program = each.host = each.database = each.isolation = name;
            each.statement = test::hostileName + u"</pre><b>"_s;
        }
        for (LockedThing& each : evil->resources)
            each.name = each.table = each.part = name;
        evil->complaints << name;
        evil->source.place = name;
        auto cut = std::make_shared<DeadlockReport>(*evil);
        cut->cycles.clear();
        using enum report::Form;
        for (const report::Form form : {Text, Json, Csv, Markdown, Html}) {
            for (const report::Report& output :
                {toReport({evil, cut}), toReport(familiesOf(deadlocksOf(evil)))}) {
                const QString text = rendered(output, form).replace(u"\r\n"_s, u"\n"_s);
                QCOMPARE(test::deceitIn(text, true), QString());
                QVERIFY(form == Text || form == Json || form == Csv || !text.contains(u"<b>*"_s)
                    || (form == Markdown && text.contains(u"\\<b\\>"_s)));
                QVERIFY(form != Html || !text.contains(u"</pre><b>"_s));
            }
        }
    }
};

LOCKSCOPE_TEST(tst_DeadlockWords)

} // namespace tst_DeadlockWords
#include "tst_DeadlockWords.moc"
