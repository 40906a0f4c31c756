// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// lockctl itself against the double of SQL Server, with each driver.

#include "tests/support/Lockctl.h"
#include "tests/support/TestProgram.h"
#include "tests/support/WireSuite.h"
#include "tests/support/tds/AdminAnswers.h"
#include "tests/support/tds/CheckAnswers.h"
#include "tests/support/tds/DatabaseAnswers.h"
#include "tests/support/tds/MonitorAnswers.h"

namespace tst_LockctlSqlServer {

using namespace lockscope;
using namespace lockscope::test;
using namespace lockscope::test::tds;

constexpr qint64 orders = 1'977'058'079;
constexpr int notObtained = 75;
const QString unitOfWork = u"D5499C66-E398-45CA-BF7E-DC9C194B48CF"_s;

/// 61 has the table and sleeps, 63 waits for it; an orphan has a lock, too.
static Picture contention()
{
    Picture picture;
    picture.schemaInstalled = true;
    picture.names[{u"[orders]"_s, orders}] = u"dbo.orders"_s;
    picture.texts[u"01"_s] = u"UPDATE dbo.orders SET state = 'paid'"_s;
    picture.session(61, "till").inTransaction(400'000, 7'001).sleeping(360'000).lastHandle = u"01"_s;
    const Picture::Lock held = picture.lock(61, "OBJECT", orders, "X").of(7'001);
    picture.session(63, "web shop");
    Picture::Request& request = picture.request(63, "SELECT", 41'000);
    request.waitType = u"LCK_M_IX"_s;
    request.blocker = 61;
    picture.waitingLock(held, 63, "IX", 41'000, 61).of(7'002);
    picture.lock(-2, "OBJECT", orders + 1, "X").of(7'003).unitOfWork = unitOfWork;
    return picture;
}

/// Locks and lock table, sessions, views and audit of one server.
struct Bench {
    std::unique_ptr<LockAnswers> locks; // these outlive the server
    std::unique_ptr<DatabaseAnswers> databases;
    TdsServer server;
    MonitorAnswers monitor{server};
    AdminAnswers acts{server};
    Lockctl lockctl;

    Bench()
        : lockctl(urlOf(server).toString(), passwordOf(server))
    {
        const Picture picture = contention();
        monitor.show(picture);
        acts.change([&picture](AdminAnswers::State& state) {
            state.nowUs = picture.nowUs;
            for (const Picture::Session& session : picture.sessions)
                state.sessions.add(
                    {session.id, picture.nowUs + (picture.zoneMinutes * 60'000LL - session.loginAge) * 1'000,
                        true, session.user, session.host, session.program, u"orders"_s, 4'711});
            state.table.put({u"old"_s, u"t1"_s, 7, picture.nowUs - 2'000'000, picture.nowUs - 1'000'000,
                {u"ann"_s, u"app01"_s, u"job"_s, 1, 51}});
            state.unitsOfWork = QStringList{unitOfWork};
        });
        locks = std::make_unique<LockAnswers>(server);
        databases = std::make_unique<DatabaseAnswers>(server, *locks);
        addSessionAnswers(server);
    }
};

class tst_LockctlSqlServer : public WireSuite {
    Q_OBJECT

private Q_SLOTS:
    void listAndTreeShowWhoBlocksWhom()
    {
        Bench bench;
        const auto list = bench.lockctl("list");
        VERIFY_CODE(0, list);
        QVERIFY2(list.out.contains(u"dbo.orders"_s) && list.out.contains(u"\nwaiting "_s), list.allOutput());
        QVERIFY2(list.out.contains(u"old"_s) && list.out.contains(u"\nstale "_s), list.allOutput());
        const auto tree = bench.lockctl("tree");
        const QStringList lines = tree.out.split(u'\n');
        QVERIFY2(lines.value(0).startsWith(u"1 head blocker, 1 session blocked"_s), tree.allOutput());
        QVERIFY2(
            lines.value(2).startsWith(u"61"_s) && lines[2].endsWith(u"end-session 61"_s), tree.allOutput());
        QVERIFY2(lines.value(4).startsWith(u"61"_s), tree.allOutput());
        QVERIFY2(lines.value(5).startsWith(u"  63"_s), tree.allOutput());
        QCOMPARE(bench.lockctl("tree --json").json()[u"heads"][0][u"session"].toInteger(), 61);
        const auto few = bench.lockctl("list --limit 2");
        QVERIFY2(
            few.out.contains(u"Showing 2 of 3 locks"_s) && few.out.contains(u"--limit"_s), few.allOutput());
    }

    void purgeShowsFirst()
    {
        Bench bench;
        const auto dry = bench.lockctl("purge --dry-run --json");
        VERIFY_CODE(0, dry);
        QCOMPARE(dry.json()[u"entries"][0][u"name"].toString(), u"old"_s);
        QVERIFY(bench.acts.audit().empty());
        const auto purged = bench.lockctl("purge --yes --json");
        QCOMPARE(purged.json()[u"purged"].toInt(), 1);
        QCOMPARE(bench.acts.audit().size(), size_t(1));
    }

    void runHoldsTheLock_data()
    {
        QTest::addColumn<QString>("kind");
        for (const char* kind : {"table", "app", "locked-table", "locked-key"})
            row(kind, QString::fromLatin1(kind));
    }
    void runHoldsTheLock()
    {
        QFETCH(QString, kind);
        Bench bench;
        const auto holder =
            bench.lockctl.start("run nightly --kind %1 -- sh -c %2", kind, u"echo here; cat; exit 7"_s);
        QVERIFY2(holder->waitForReadyRead(), holder->readAllStandardError());
        const auto second = bench.lockctl("run nightly --kind %1 --no-wait --json -- true", kind);
        VERIFY_CODE(notObtained, second);
        QCOMPARE(second.json()[u"granted"].toBool(true), false);
        QCOMPARE(Lockctl::finish(*holder).code, 7);
        QCOMPARE(bench.lockctl("run nightly --kind %1 --no-wait -- true", kind).code, 0);
    }

    void acquireAndRelease()
    {
        Bench bench;
        const auto acquired = bench.lockctl("acquire nightly --json");
        VERIFY_CODE(0, acquired);
        QCOMPARE(bench.lockctl("acquire nightly --no-wait").code, notObtained);
        const QString token = acquired.json()[u"token"].toString();
        VERIFY_CODE(0, bench.lockctl("release nightly --token %1", token));
        const auto again = bench.lockctl("release nightly --token %1", token);
        QCOMPARE(again.code, 1);
        QVERIFY2(again.err.contains(u'[' + urlOf(bench.server).display() + u']'), again.allOutput());
    }

    void endSessionIsAudited()
    {
        Bench bench;
        VERIFY_CODE(0, bench.lockctl("end-session 61 --yes --reason %1", u"gone to lunch"_s));
        COMPARE_TEXTS(bench.acts.killed(), "61");
        const auto audit = bench.lockctl("audit --json");
        const auto records = audit.jsonArray();
        QCOMPARE(records.size(), 2);
        QCOMPARE(records[0][u"outcome"].toString(), u"done"_s);
        QVERIFY2(records[0][u"from"].toString().endsWith(u", lockctl"_s), audit.allOutput());
        QVERIFY2(records[0][u"before"].toString().contains(u"UPDATE dbo.orders"_s), audit.allOutput());
        const auto text = bench.lockctl("audit");
        QVERIFY2(text.out.contains(u"FROM"_s) && text.out.contains(records[0][u"from"].toString()),
            text.allOutput());
    }

    void anOrphanIsEndedByWhatItIsCalled_data()
    {
        test::addRows<QStringList>("id",
            {{"its unit of work", QStringList{unitOfWork}},
                {"what the server calls them all", QStringList{u"-2"_s}},
                {"the same after dashes", Lockctl::words("-- -2")},
                {"our number", QStringList{u"of the list"_s}}});
    }
    void anOrphanIsEndedByWhatItIsCalled()
    {
        QFETCH(QStringList, id);
        Bench bench;
        if (id.first() == u"of the list") {
            const auto locks = bench.lockctl("list --json").json()[u"locks"].toArray();
            id.clear();
            for (const auto& lock : locks)
                if (lock[u"session"].toInteger() < 0)
                    id << QString::number(lock[u"session"].toInteger());
            QCOMPARE(id.size(), 1);
        }
        const auto ended = bench.lockctl(
            Lockctl::words("end-session --yes --reason %1 --json", u"its coordinator is gone"_s) + id);
        VERIFY_CODE(0, ended);
        QVERIFY(ended.json()[u"audit_id"].toInteger() > 0);
        QCOMPARE(bench.acts.killed(), QStringList{unitOfWork});
    }

    void oneOfSeveralOrphansMustBeNamed()
    {
        Bench bench;
        const QString other = u"0D5499C6-E398-45CA-BF7E-DC9C194B48CF"_s;
        Picture picture = contention();
        picture.lock(-2, "OBJECT", orders + 2, "X").of(7'004).unitOfWork = other;
        bench.monitor.show(picture);
        const auto refused = bench.lockctl("end-session -2 --yes --reason -1");
        QVERIFY2(refused.code == 2 && refused.err.contains(other) && refused.err.contains(unitOfWork),
            refused.allOutput());
        const auto nobody = bench.lockctl("end-session -3 --reason r");
        QVERIFY2(nobody.code == 1 && nobody.err.contains(u"no session -3"_s), nobody.allOutput());
        QCOMPARE(bench.acts.killed(), QStringList());
        const auto option = bench.lockctl("end-session -x --reason r");
        QVERIFY2(option.code == 2 && option.err.contains(u"option"_s), option.allOutput());
    }

    void aCheckTellsAll()
    {
        Bench bench;
        bench.lockctl.set(u"LOCKSCOPE_READ_ONLY"_s, u"1"_s); // it changes nothing
        CheckPicture picture;
        picture.schema.version = u"2"_s;
        addCheckAnswers(bench.server, picture);
        const auto text = bench.lockctl("check");
        VERIFY_CODE(0, text);
        for (const QString& line : {u"good   Server:                 SQL Server 2022 16.0.4135.4"_s,
                 u"note   Encryption: "_s, u"good   Read committed snapshot: off"_s,
                 u"has version 2; this program knows version 1"_s, u"→ Use the Lockscope that installed it"_s,
                 u"good   Reading: "_s, u"from sys.dm_os_memory_clerks, "_s})
            QVERIFY2(text.out.contains(line), (line.toUtf8() + text.allOutput()).constData());
        const auto json = bench.lockctl("check --json");
        VERIFY_CODE(0, json);
        QCOMPARE(json.json()[u"good"].toBool(), true);
        QCOMPARE(json.json()[u"limited"].toBool(), true);
        const QJsonArray steps = json.json()[u"steps"].toArray();
        QCOMPARE(steps[0][u"key"].toString(), u"driver"_s);
        QCOMPARE(steps[0][u"outcome"].toString(), u"good"_s);
        QCOMPARE(json.json()[u"server"].toString(), urlOf(bench.server).toString());
        VERIFY_CONTAINS(bench.lockctl("check --format csv").out, u"\r\nnote,Encryption,"_s);
        VERIFY_CONTAINS(bench.lockctl("check --format html").out, u"</table>"_s);
        QCOMPARE(bench.lockctl("check --strict").code, 1);
    }

    void aCheckTellsWhereTheWayEnds()
    {
        Bench bench;
        bench.server.refuseLogins([](const Login&) -> std::optional<ServerMessage> {
            return ServerMessage{18'456, u"Login failed for user 'ann' with s3cret."_s, 14};
        });
        const auto answer = bench.lockctl("check --json");
        QCOMPARE(answer.code, 1);
        QCOMPARE(answer.json()[u"good"].toBool(true), false);
        const QJsonObject last = answer.json()[u"steps"].toArray().last().toObject();
        QCOMPARE(last[u"key"].toString(), u"login"_s);
        QCOMPARE(last[u"outcome"].toString(), u"failed"_s);
        QVERIFY2(last[u"finding"].toString().contains(u"Login failed for user 'ann'"_s), answer.allOutput());
        QVERIFY2(!answer.allOutput().contains("s3cret"), answer.allOutput());
        QCOMPARE(bench.lockctl("check --server nonsense").code, 2);
    }

    /// The password is not passed on, even if other programs repeat it.
    void aCheckHasNoSecretInIt()
    {
        Bench bench;
        const QString password = passwordOf(bench.server);
        db::SqlServerFacts facts = wholeServer();
        facts.edition = u"Edition "_s + password;
        facts.rights = {u"RIGHT "_s + password};
        facts.views.insert(password);
        addSessionAnswers(bench.server, facts);
        CheckPicture picture;
        picture.login = picture.user = picture.authentication = picture.collation = password;
        picture.snapshotIsolation = password;
        picture.schema = {.version = u"1"_s, .owner = password, .foreignObject = password};
        addCheckAnswers(bench.server, picture);
        bench.server.answer("sqlserver/check/encryption",
            [=](const Request&, Reply& reply) { reply.error(50'000, u"The password is "_s + password, 16); });
        Picture seen = contention();
        seen.failures[u"sys.dm_exec_requests"_s] = 50'000;
        seen.sessions[0].program = u"sqlcmd -P "_s + password;
        bench.monitor.show(seen);
        bench.server.answer("sqlserver/monitor/connections", [=](const Request&, Reply& reply) {
            reply.error(50'000, u"It was '"_s + password + u"'"_s, 16);
        });
        for (const QStringList& arguments : {QStringList{u"check"_s}, Lockctl::words("check --json"),
                 Lockctl::words("check --format html")}) {
            const auto answer = bench.lockctl(arguments);
            QVERIFY2(answer.out.contains(u"could not be read this time"_s), answer.allOutput());
            QVERIFY2(!answer.allOutput().contains(password.toUtf8()), answer.allOutput());
        }
    }

    void aPlanIsSavedOnRequest()
    {
        Bench bench;
        const QString plan = u"<ShowPlanXML xmlns=\"x\"><Statement text=\"č\"/></ShowPlanXML>"_s;
        Picture picture = contention();
        picture.requests.back().planHandle = u"06AA"_s;
        picture.requests.back().start = 10;
        picture.requests.back().end = 80;
        picture.plans[u"06AA"_s] = plan;
        bench.monitor.show(picture);
        const auto answer = bench.lockctl("plan 63");
        VERIFY_CODE(0, answer);
        QCOMPARE(answer.out, plan + u'\n');
        QCOMPARE(bench.lockctl("plan 63 --json").json()[u"plan"].toString(), plan);
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"slow.sqlplan"_s);
        const auto saved = bench.lockctl("plan 63 --out %1", path);
        QVERIFY2(saved.code == 0 && saved.out.contains(path), saved.allOutput());
        QCOMPARE(QString::fromUtf8(test::readFile(path)), plan);
        const auto nowhere = bench.lockctl("plan 63 --out %1", folder.filePath(u"no/where.sqlplan"_s));
        QVERIFY2(nowhere.code == 1 && nowhere.isOneLineOfError(), nowhere.allOutput());
    }

    void withoutAPlanItSaysWhy_data()
    {
        test::addColumns<QString, QString, QString>("session", "change", "reason");
        row("asleep", "61", QString(), "runs nothing");
        row("no handle", "63", QString(), "still being made");
        row("not kept", "63", "not kept", "does not keep the plan");
        row("gone", "99", QString(), "not there (any more).");
        row("others are hidden", "63", "no rights", "or you may not see it");
        row("closed", "63", "closed", "GRANT VIEW SERVER PERFORMANCE STATE TO [login]");
    }
    void withoutAPlanItSaysWhy()
    {
        FETCH(QString, session, QString, change, QString, reason);
        Bench bench;
        Picture picture = contention();
        if (change == u"not kept") {
            picture.requests.back().planHandle = u"06AA"_s;
            picture.plans[u"06AA"_s] = QString();
        } else if (change == u"no rights") {
            db::SqlServerFacts facts = wholeServer();
            facts.rights.clear();
            addSessionAnswers(bench.server, facts);
            picture.rights.clear();
        } else if (change == u"closed") {
            picture.closedViews = {u"sys.dm_exec_text_query_plan"_s};
        }
        bench.monitor.show(picture);
        const auto answer = bench.lockctl("plan %1", session);
        QVERIFY2(answer.code == 1 && answer.isOneLineOfError(), answer.allOutput());
        QVERIFY2(answer.err.contains(reason), answer.allOutput());
    }

    void thePlanOfWhat()
    {
        Bench bench;
        for (const QString& wrong : {u"sixty"_s, u"0"_s, u"-2"_s})
            QCOMPARE(bench.lockctl("plan -- %1", wrong).code, 2);
        QCOMPARE(bench.lockctl("plan").code, 2);
    }

    void theTreeTellsWhatASleepingBlockerSent()
    {
        Bench bench;
        Picture picture = contention();
        picture.sessions[0].inputBuffer = u"EXECUTE dbo.Pay @order = 4711"_s;
        bench.monitor.show(picture);
        const auto tree = bench.lockctl("tree");
        QVERIFY2(tree.out.split(u'\n').value(4).contains(u"sent: EXECUTE dbo.Pay"_s), tree.allOutput());
    }

    void whoOnlyReadsEndsNobody()
    {
        Bench bench;
        const auto refused = bench.lockctl("end-session 61 --reason r --read-only");
        QVERIFY2(refused.code == 1 && refused.err.contains(u"lockctl is read-only"_s), refused.allOutput());
        QCOMPARE(bench.acts.killed(), QStringList());
    }
};

LOCKSCOPE_TEST(tst_LockctlSqlServer)

} // namespace tst_LockctlSqlServer
#include "tst_LockctlSqlServer.moc"
