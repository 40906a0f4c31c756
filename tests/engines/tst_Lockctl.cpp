// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/Lockctl.h"
#include "tests/support/Session.h"
#include "tests/support/TestProgram.h"

#include <csignal>

namespace tst_Lockctl {

using namespace lockscope;
using namespace lockscope::test;
using test::Session;

constexpr int usage = 2;
constexpr int notObtained = 75;

static QString nameOfState(bool granted)
{
    return granted ? u"granted"_s : u"waiting"_s;
}

class tst_Lockctl : public test::LockctlTest {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_url = m_server->freshDatabase(); }

    void helpAndVersion()
    {
        const auto help = ctl()("--help");
        QCOMPARE(help.code, 0);
        QVERIFY(help.out.contains(u"end-session"_s));
        QVERIFY(help.out.contains(u"75"_s));
        for (const QString& scheme : {u"sqlserver://"_s, u"postgresql://"_s, u"sqlite:///"_s, u"sandbox:"_s})
            VERIFY_CONTAINS(help.out, scheme);
        const auto version = ctl()("--version");
        QCOMPARE(version.out, u"lockctl %1\n"_s.arg(QStringLiteral(LOCKSCOPE_VERSION)));
        QCOMPARE(ctl()(QStringList()).code, usage);
    }

    void eachCommandExplainsItself_data()
    {
        QTest::addColumn<QString>("command");
        for (const char* command : {"list", "tree", "watch", "run", "acquire", "release", "purge",
                 "end-session", "free", "frameworks", "audit", "install", "uninstall", "scenario", "sandbox"})
            QTest::newRow(command) << QString::fromLatin1(command);
    }
    void eachCommandExplainsItself()
    {
        QFETCH(QString, command);
        const auto help = ctl()("%1 --help", command);
        QCOMPARE(help.code, 0);
        QVERIFY(help.out.startsWith(u"Usage: lockctl "_s + command));
        QVERIFY(help.out.contains(u"--json"_s));
        QVERIFY(help.err.isEmpty());
    }

    void badInput_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("no such command") << QStringList{u"frobnicate"_s};
        QTest::newRow("no such option") << Lockctl::words("list --frobnicate");
        QTest::newRow("too many") << Lockctl::words("list more");
        QTest::newRow("run without a name") << Lockctl::words("run -- true");
        QTest::newRow("run without a command") << Lockctl::words("run a");
        QTest::newRow("an empty name") << Lockctl::words("run %1 -- true", u""_s);
        QTest::newRow("a name too long") << Lockctl::words("run %1 -- true", QString(256, u'n'));
        QTest::newRow("an odd kind") << Lockctl::words("acquire a --kind row");
        QTest::newRow("an odd duration") << Lockctl::words("acquire a --wait soon");
        QTest::newRow("wait and no-wait") << Lockctl::words("acquire a --wait 1s --no-wait");
        QTest::newRow("a shared row") << Lockctl::words("acquire a --shared");
        QTest::newRow("release without token") << Lockctl::words("release a");
        QTest::newRow("force without reason") << Lockctl::words("release a --force");
        QTest::newRow("end whom?") << Lockctl::words("end-session bob --reason r");
        QTest::newRow("end without reason") << Lockctl::words("end-session 1 --reason %1", u" "_s);
        QTest::newRow("no URL") << Lockctl::words("list --server ::::");
        QTest::newRow("an empty URL") << Lockctl::words("list --server %1", QString());
        QTest::newRow("a URL with a password")
            << Lockctl::words("list --server postgresql://ann:s3cret@db/shop");
        QTest::newRow("no locks") << Lockctl::words("list --limit 0");
        const auto row = [](const char* name, const QString& arguments) {
            QTest::newRow(name) << arguments.split(u' ');
        };
        row("two forms", u"audit --format csv --json"_s);
        row("two tables", u"range --table locks --table holders"_s);
        row("a table of frameworks", u"list --table locks --framework"_s);
        row("snapshots and ranges", u"compare --at 03:12 --from 1h"_s);
        row("a recording watched", u"order --recording f --for 1m"_s);
        row("families followed", u"deadlocks --follow --family"_s);
        row("a page without an end", u"deadlocks --follow --format html"_s);
        QTest::newRow("no looks") << Lockctl::words("watch -n few");
    }
    void badInput()
    {
        QFETCH(QStringList, arguments);
        const auto answer = ctl()(arguments);
        QCOMPARE(answer.code, usage);
        QVERIFY2(answer.isOneLineOfError(), qPrintable(answer.err));
        QVERIFY(answer.out.isEmpty());
        QVERIFY(!answer.err.contains(u"s3cret"_s));
    }

    void errorsSayWhatWhereAndWhatToDo()
    {
        const auto nobodyThere = Lockctl(u"postgresql://ann@localhost:1/shop"_s, u"s3cret"_s)("list");
        QCOMPARE(nobodyThere.code, 1);
        QVERIFY2(nobodyThere.isOneLineOfError(), qPrintable(nobodyThere.err));
        QVERIFY(nobodyThere.err.contains(u"localhost"_s));
        QVERIFY(!nobodyThere.err.contains(u"s3cret"_s));

        const auto bare = m_server->freshDatabase(TestServer::Schema::None);
        const auto noTable = Lockctl(bare.toString(), m_server->password())("run nightly -- true");
        QCOMPARE(noTable.code, 1);
        QVERIFY2(noTable.isOneLineOfError(), qPrintable(noTable.err));
        VERIFY_CONTAINS(noTable.err, u"lockctl install"_s);
    }

    void installIsIdempotent()
    {
        const Lockctl bare(
            m_server->freshDatabase(TestServer::Schema::None).toString(), m_server->password());
        const auto first = bare("install --json").json();
        QCOMPARE(first[u"before"].toInt(-1), 0);
        QVERIFY(first[u"after"].toInt() > 0);
        const auto second = bare("install --json").json();
        QCOMPARE(second[u"before"].toInt(), first[u"after"].toInt());
        QCOMPARE(bare("run nightly -- true").code, 0);
    }

    void runPassesOnTheExitCode_data()
    {
        test::addColumns<QString, int>("script", "code");
        QTest::newRow("success") << u"exit 0"_s << 0;
        QTest::newRow("failure") << u"exit 7"_s << 7;
        QTest::newRow("a signal") << u"kill -9 $$"_s << 128 + 9;
    }
    void runPassesOnTheExitCode()
    {
        FETCH(QString, script, int, code);
        for (const QString& kind : {u"table"_s, u"app"_s, u"locked-table"_s, u"locked-key"_s})
            QCOMPARE(ctl()("run nightly --kind %1 -- sh -c %2", kind, script).code, code);
        QVERIFY(ctl()("list --json").json()[u"entries"].toArray().isEmpty());
    }

    void runHoldsTheLockAndTellsItsNumbers()
    {
        const QString name = u"it's \"nightly\" 🌙"_s;
        const auto run = ctl()("run %1 -- sh -c %2", name,
            u"printf '%s|%s|%s' \"$LOCKSCOPE_LOCK\" \"$LOCKSCOPE_FENCING\" \"$LOCKSCOPE_TOKEN\"; \"%1\" list --json >&2"_s
                .arg(test::programPath("lockctl")));
        QCOMPARE(run.code, 1); // the inner lockctl has no password
        const QStringList texts = run.out.split(u'|');
        QCOMPARE(texts.value(0), name);
        QVERIFY(texts.value(1).toLongLong() > 0);
        QVERIFY(!texts.value(2).isEmpty());

        const auto process = ctl().start("run %1 -- cat", name);
        QVERIFY(waitUntil([&] { return !ctl()("list --json").json()[u"entries"].toArray().isEmpty(); }));
        const auto entry = ctl()("list --json").json()[u"entries"][0];
        QCOMPARE(entry[u"name"].toString(), name);
        QCOMPARE(entry[u"stale"].toBool(true), false);
        QCOMPARE(entry[u"holder"][u"process_id"].toInteger(), process->processId());
        QCOMPARE(entry[u"holder"][u"program"].toString(), u"lockctl"_s);
        QCOMPARE(Lockctl::finish(*process).code, 0);
    }

    void runKeepsThePasswordFromTheCommand()
    {
        const auto run = ctl()("run nightly -- env");
        QVERIFY(run.out.contains(u"LOCKSCOPE_LOCK=nightly"_s));
        QVERIFY(!run.out.contains(u"LOCKSCOPE_PASSWORD"_s));
    }

    void runDoesNotWait()
    {
        for (const QString& kind : {u"table"_s, u"app"_s, u"locked-table"_s, u"locked-key"_s}) {
            const auto holder = ctl().start("run nightly --kind %1 -- sh -c %2", kind, u"echo here; cat"_s);
            QVERIFY(holder->waitForReadyRead());
            const auto second = ctl()("run nightly --kind %1 --no-wait -- echo ran", kind);
            QCOMPARE(second.code, notObtained);
            QVERIFY(second.out.isEmpty());
            QVERIFY2(second.isOneLineOfError(), qPrintable(second.err));
            QVERIFY(second.err.contains(u"'nightly'"_s));
            VERIFY_CONTAINS(second.err, u"held by"_s);
            QCOMPARE(Lockctl::finish(*holder).code, 0);
            QCOMPARE(ctl()("run nightly --kind %1 --no-wait -- true", kind).code, 0);
        }
    }

    void runGivesUpInTime()
    {
        QVERIFY(!ctl()("acquire nightly").code);
        const auto answer = ctl()("run nightly --wait 50ms -- true");
        QCOMPARE(answer.code, notObtained);
        VERIFY_CONTAINS(answer.err, u"Waited"_s);
    }

    void runWaitsForItsTurn()
    {
        const auto holder = ctl().start("run nightly -- sh -c %1", u"echo here; cat"_s);
        QVERIFY(holder->waitForReadyRead());
        const auto waiter = ctl().start("run nightly -- echo %1", u"my turn"_s);
        QVERIFY(
            waitUntil([&] { return !ctl()("list --json").json()[u"entry_waiters"].toArray().isEmpty(); }));
        QVERIFY(waiter->state() != QProcess::NotRunning);
        QCOMPARE(Lockctl::finish(*holder).code, 0);
        const auto turn = Lockctl::finish(*waiter);
        QCOMPARE(turn.code, 0);
        QCOMPARE(turn.out, u"my turn\n"_s);
    }

    void runForwardsSignals()
    {
        const auto running = ctl().start(
            "run nightly -- sh -c %1", u"trap 'exit 33' TERM; echo here; while :; do sleep 0.02; done"_s);
        QVERIFY(running->waitForReadyRead());
        ::kill(static_cast<pid_t>(running->processId()), SIGTERM);
        QCOMPARE(Lockctl::finish(*running).code, 33);
        // One that still waits gives up, and leaves nothing in the queue.
        QVERIFY(!ctl()("acquire nightly").code);
        const auto waiting = ctl().start("run nightly -- true");
        const auto waiters = [&] { return ctl()("list --json").json()[u"entry_waiters"].toArray().size(); };
        QVERIFY(waitUntil([&] { return waiters() == 1; }));
        ::kill(static_cast<pid_t>(waiting->processId()), SIGTERM);
        QCOMPARE(Lockctl::finish(*waiting).code, 128 + SIGTERM);
        QCOMPARE(waiters(), 0);
    }

    void runTellsThatTheLockWasLost()
    {
        const auto running =
            ctl().start("run nightly --terminate-on-loss -- sh -c %1", u"echo here; exec sleep 1000"_s);
        QVERIFY(running->waitForReadyRead());
        QCOMPARE(ctl()("release nightly --force --yes --reason test").code, 0);
        const auto answer = Lockctl::finish(*running);
        QCOMPARE(answer.code, 128 + 15);
        VERIFY_CONTAINS(answer.err, u"was lost"_s);
        QVERIFY2(answer.isOneLineOfError(), qPrintable(answer.err));
    }

    void commandsThatCannotStart()
    {
        QCOMPARE(ctl()("run nightly -- no-such-command-here").code, 127);
        const QString script = test::makeFile(freshPath(u"plain.txt"_s));
        const auto answer = ctl()("run nightly -- %1", script);
        QVERIFY(answer.code == 126 || answer.code == 127);
        QVERIFY(answer.isOneLineOfError());
        QVERIFY(ctl()("list --json").json()[u"entries"].toArray().isEmpty());
    }

    void acquireAndReleaseWithTheToken()
    {
        const auto acquired = ctl()("acquire nightly --stale-after 1h --json");
        QCOMPARE(acquired.code, 0);
        const QString token = acquired.json()[u"token"].toString();
        QVERIFY(!token.isEmpty());
        QVERIFY(acquired.json()[u"fencing"].toInteger() > 0);
        const auto again = ctl()("acquire nightly --no-wait --json");
        QCOMPARE(again.code, notObtained);
        QCOMPARE(again.json()[u"granted"].toBool(true), false);
        const auto wrong = ctl()("release nightly --token wrong");
        QCOMPARE(wrong.code, 1);
        QVERIFY(wrong.isOneLineOfError());
        QCOMPARE(ctl()("release nightly --token %1", token).code, 0);
        QCOMPARE(ctl()("release nightly --token %1", token).code, 1);
        const auto next = ctl()("acquire nightly --no-wait --json");
        QVERIFY(next.json()[u"fencing"].toInteger() > acquired.json()[u"fencing"].toInteger());
    }

    void releaseByForceIsAudited()
    {
        QCOMPARE(ctl()("release nightly --force --yes --reason stuck").code, 1);
        QCOMPARE(ctl()("acquire nightly").code, 0);
        const auto released =
            ctl()("release nightly --force --yes --reason %1 --json", u"stuck since noon"_s);
        QCOMPARE(released.code, 0);
        const auto records = ctl()("audit --json").jsonArray();
        QCOMPARE(records.size(), 1);
        QCOMPARE(records[0][u"id"].toInteger(), released.json()[u"audit_id"].toInteger());
        QCOMPARE(records[0][u"reason"].toString(), u"stuck since noon"_s);
        QVERIFY(records[0][u"target"].toString().contains(u"nightly"_s));
        const QString text = ctl()("audit").out;
        VERIFY_CONTAINS(text, u"stuck since noon"_s);
        const QString from = records[0][u"from"].toString();
        VERIFY_ENDS(from, u", lockctl"_s);
        VERIFY_CONTAINS(text, from);
    }

    void appLocksAreHeldUntilStandardInputCloses()
    {
        const auto holder = ctl().start("acquire nightly --kind app --json");
        QVERIFY(holder->waitForReadyRead());
        const auto shown = [&] {
            for (const auto lock : ctl()("list --json").json()[u"locks"].toArray()) {
                if (lock[u"kind"].toString() == u"application lock")
                    return lock[u"resource"].toString();
            }
            return QString();
        };
        VERIFY_CONTAINS(shown(), u"nightly"_s);
        const auto answer = Lockctl::finish(*holder);
        QCOMPARE(answer.code, 0);
        QCOMPARE(QJsonDocument::fromJson(answer.out.toUtf8()).object()[u"granted"].toBool(), true);
        QCOMPARE(shown(), QString());
    }

    void listAgreesWithPgLocksRowForRow()
    {
        m_server->run(m_url,
            u"create table orders (id int primary key); create table items (id int); insert into orders values (1)"_s);
        Session ann(*m_server, m_url, u"ann"_s);
        Session bob(*m_server, m_url, u"bob"_s);
        Session eve(*m_server, m_url, u"eve"_s);
        QVERIFY(ann.begin(u"update orders set id = id"_s) && ann.run(u"lock table items in share mode"_s)
            && ann.run(u"select pg_advisory_lock(7, 9), pg_advisory_lock_shared(-5)"_s));
        QVERIFY(bob.begin(u"select * from items"_s));
        QVERIFY(bob.startWaiting(u"update orders set id = id"_s));
        QVERIFY(eve.startWaiting(u"insert into items values (1)"_s));

        // The three sessions do nothing while both are read: their rows can't change in between.
        const auto three = u"%1, %2, %3"_s.arg(ann.id().value).arg(bob.id().value).arg(eve.id().value);
        std::multiset<QString> expected;
        const auto connection = m_server->connect(m_url);
        const auto statement = test::sqlStatement(
            u"select pid, mode, granted, coalesce(database, 0)::bigint, coalesce(relation::bigint, transactionid::text::bigint, 0) from pg_locks where locktype in ('relation', 'transactionid') and pid in (%1)"_s
                .arg(three));
        QVERIFY(connection->execute(statement, {}, [&](const db::Row& row) {
            expected.insert(u"%1 %2 %3 %4 %5"_s.arg(
                row.text(0), row.text(1), nameOfState(row.boolean(2)), row.text(3), row.text(4)));
        }));
        qint64 all = 0;
        const auto count =
            test::sqlStatement(u"select count(*) from pg_locks where pid in (%1)"_s.arg(three));
        QVERIFY(connection->execute(count, {}, [&](const db::Row& row) { all = row.int64(0); }));

        const auto json = ctl()("list --all --json").json();
        const std::set<qint64> sessions{ann.id().value, bob.id().value, eve.id().value};
        std::multiset<QString> shown;
        qint64 shownAll = 0;
        for (const auto lock : json[u"locks"].toArray()) {
            if (!sessions.count(lock[u"session"].toInteger()))
                continue;
            ++shownAll;
            const QString kind = lock[u"kind"].toString();
            if (kind == u"table" || kind == u"transaction")
                shown.insert(u"%1 %2 %3 %4 %5"_s.arg(QString::number(lock[u"session"].toInteger()),
                    lock[u"mode"].toString(), lock[u"state"].toString(), lock[u"key"][u"database"].toString(),
                    lock[u"key"][u"entity"].toString()));
        }
        QVERIFY(expected.size() >= 8);
        QCOMPARE(shown.size(), expected.size());
        for (const QString& row : expected)
            QVERIFY2(shown.count(row) == expected.count(row), qPrintable(row));
        QCOMPARE(shownAll, all);

        // The text is a table for people: contended resources first, waiters marked by a word.
        const auto text = ctl()("list").out;
        QVERIFY(text.contains(u"\nwaiting "_s));
        QVERIFY(text.contains(u".items "_s));
        QVERIFY(!text.contains(u'\x1b'));
        const auto table = ctl()("list --table sessions --format csv").out;
        VERIFY_STARTS(table, u"session,state,waits_ms,waits_ms_exact,transaction_ms,holds,waits_for,"_s);
        VERIFY_CONTAINS(table, u"\n%1,waits for a lock,"_s.arg(bob.id().value));
    }

    void listReadsNoMoreThanItsLimit()
    {
        m_server->run(m_url, u"create table a (id int); create table b (id int); create table c (id int)"_s);
        Session ann(*m_server, m_url, u"ann"_s);
        QVERIFY(ann.begin(u"lock table a, b, c"_s));
        const auto few = ctl()("list --limit 2 --json");
        VERIFY_CODE(0, few);
        QCOMPARE(few.json()[u"locks"].toArray().size(), 2);
        for (const QString& command : {u"list"_s, u"tree"_s}) {
            const auto text = ctl()("%1 --limit 2", command);
            QVERIFY2(
                text.out.contains(u"Showing 2 of "_s) && text.out.contains(u"--limit"_s), text.allOutput());
        }
        const auto watched = ctl()("watch -n 1 --limit 2");
        QVERIFY2(watched.out.contains(u"Showing 2 of "_s), watched.allOutput());
        QVERIFY(!ctl()("list").out.contains(u"Showing "_s));
    }

    void treeShowsWhoBlocksWhom()
    {
        m_server->run(m_url, u"create table orders (id int)"_s);
        Session ann(*m_server, m_url, u"ann"_s);
        Session bob(*m_server, m_url, u"bob"_s);
        QVERIFY(ctl()("tree").out.contains(u"Nobody waits"_s));
        QVERIFY(ann.begin(u"lock table orders"_s));
        QVERIFY(bob.startWaiting(u"select * from orders"_s));
        const auto json = ctl()("tree --json").json();
        QCOMPARE(json[u"heads"].toArray().size(), 1);
        QCOMPARE(json[u"heads"][0][u"session"].toInteger(), ann.id().value);
        QCOMPARE(json[u"heads"][0][u"victims"].toInteger(), 1);
        QCOMPARE(json[u"waits"][0][u"waiter"].toInteger(), bob.id().value);
        const QStringList lines = ctl()("tree").out.split(u'\n');
        const qsizetype tree = lines.indexOf(QString()) + 1; // below the heads
        QVERIFY(lines.value(tree).startsWith(QString::number(ann.id().value)));
        QVERIFY(lines.value(tree + 1).startsWith(u"  "_s + QString::number(bob.id().value)));
        QVERIFY2(lines.value(tree + 1).contains(u"AccessShareLock on "_s)
                && lines.value(tree + 1).contains(u".orders"_s),
            qPrintable(lines.join(u'\n')));
        // The same as a table.
        const QString csv = ctl()("tree --format csv").out;
        VERIFY_STARTS(csv, u"session,framework,blocks,new,longest_ms,longest_ms_exact,for_ms,"_s);
        QCOMPARE(csv.count(u"\r\n"_s), 3);
        VERIFY_ENDS(csv, u"bob,1\r\n"_s);
        QCOMPARE(ctl()("tree --heads --format csv").out.count(u"\r\n"_s), 2);
        const QJsonArray rows = ctl()("tree --table blocking --json").json()[u"blocking"].toArray();
        QCOMPARE(rows.size(), 2);
        QCOMPARE(rows[0][u"blocks"].toInteger(), 1);
        QCOMPARE(rows[1][u"session_id"].toInteger(), bob.id().value);
        for (const char* table : {"tree --format markdown", "tree --format html", "tree --table blocking"})
            VERIFY_CONTAINS(ctl()(table).out, u"AccessShareLock"_s);
    }

    void watchShowsAsOftenAsAsked()
    {
        const auto json = ctl()("watch -n 3 --interval 100ms --json");
        QCOMPARE(json.code, 0);
        const auto polls = json.out.split(u'\n', Qt::SkipEmptyParts);
        QCOMPARE(polls.size(), 3);
        for (const QString& poll : polls)
            QCOMPARE(QJsonDocument::fromJson(poll.toUtf8()).object()[u"format"].toInt(), 1);
        QCOMPARE(ctl()("watch -n=1").code, 0);
        const auto text = ctl()("watch -n 1");
        QCOMPARE(text.code, 0);
        QVERIFY(text.out.contains(u"longest wait"_s));
        QVERIFY(!text.out.contains(u'\x1b'));
    }

    void watchTellsChanges()
    {
        m_server->run(m_url, u"create table orders (id int)"_s);
        Session ann(*m_server, m_url, u"ann"_s);
        Session bob(*m_server, m_url, u"bob"_s);
        QVERIFY(ann.begin(u"lock table orders"_s));
        const auto json = ctl().start("watch --changes --interval 100ms --json");
        const auto text = ctl().start("watch --changes --interval 100ms");
        QByteArray lines;
        QByteArray words;
        const auto tells = [&](const QString& change, const Session& session) {
            return waitUntil([&] {
                lines += json->readAllStandardOutput();
                words += text->readAllStandardOutput();
                const QRegularExpression line(
                    u"session %1\\) %2 AccessExclusiveLock on \\S*orders"_s.arg(session.id().value)
                        .arg(change));
                const bool isWord = line.match(QString::fromUtf8(words)).hasMatch();
                for (const QByteArray& each : lines.split('\n')) {
                    const QJsonObject shownJson = QJsonDocument::fromJson(each).object();
                    if (isWord && shownJson[u"change"] == change
                        && shownJson[u"session"].toInteger() == session.id().value
                        && shownJson[u"resource"].toString().endsWith(u"orders"_s)
                        && shownJson[u"at"].toString().endsWith(u'Z'))
                        return true;
                }
                return false;
            });
        };
        QVERIFY(bob.run(u"begin"_s));
        bob.start(u"lock table orders"_s);
        QVERIFY2(tells(u"waits for"_s, bob), QByteArray(words + lines));
        QVERIFY2(words.contains(u" behind %1"_s.arg(ann.id().value).toUtf8()), words);
        QVERIFY(ann.run(u"commit"_s));
        QVERIFY2(tells(u"gave back"_s, ann), QByteArray(words + lines));
        QVERIFY2(tells(u"got"_s, bob), QByteArray(words + lines));
        QVERIFY(!words.contains('\x1b'));

        QCOMPARE(ctl()("acquire nightly").code, 0);
        QVERIFY(waitUntil([&] {
            words += text->readAllStandardOutput();
            return words.contains(" got 'nightly' of lockscope.lock_entry");
        }));
        json->kill();
        text->kill();
        Lockctl::finish(*json);
        Lockctl::finish(*text);
    }

    void foreignTextCannotSteerTheTerminal()
    {
        QCOMPARE(ctl()("acquire %1", u"red \x1b[31m\nalert"_s).code, 0);
        const auto text = ctl()("list").out;
        QVERIFY(!text.contains(u'\x1b'));
        QVERIFY(text.contains(u"red"_s));
        QCOMPARE(ctl()("list --json").json()[u"entries"][0][u"name"].toString(), u"red \x1b[31m\nalert"_s);
    }

    void purge()
    {
        QCOMPARE(ctl()("acquire fresh").code, 0);
        QCOMPARE(ctl()("acquire old").code, 0);
        m_server->run(m_url,
            u"update lockscope.lock_entry set expires_at = now() - interval '1 minute' where name = 'old'"_s);
        // The session that took it is gone, which proves nothing: that stands everywhere that the lock does.
        const QString gone = u"Session \\d+ is gone\\."_s;
        const QRegularExpression silent(u"silent: "_s + gone + u" Its lease was not renewed in time\\."_s);
        const QString listed = ctl()("list").out.simplified();
        VERIFY_CONTAINS(listed, QRegularExpression(u"silent Session \\d+ is gone"_s));
        const QString shown = ctl()("purge --dry-run").out.simplified();
        VERIFY_CONTAINS(shown, silent);
        VERIFY_CONTAINS(shown, u"That a lease has expired does not prove that its holder has ended."_s);
        const QString forced = ctl()("release old --force --dry-run").out.simplified();
        VERIFY_CONTAINS(forced, QRegularExpression(u"Evidence:? "_s + gone));
        VERIFY_CONTAINS(forced, u"Its holder is only silent: if it still works, two work at once."_s);
        const auto entries = ctl()("list --json").json()[u"entries"].toArray();
        for (const auto& entry : entries)
            QCOMPARE(entry[u"holder_life"][u"verdict"].toString(),
                entry[u"name"].toString() == u"old"_s ? u"silent"_s : u"unknown"_s);
        const auto dry = ctl()("purge --dry-run --json").json();
        QCOMPARE(dry[u"entries"].toArray().size(), 1);
        QCOMPARE(dry[u"entries"][0][u"name"].toString(), u"old"_s);
        QCOMPARE(dry[u"purged"].toInt(-1), 0);
        QCOMPARE(ctl()("list --json").json()[u"entries"].toArray().size(), 2);
        QVERIFY(ctl()("list").out.contains(u"\nstale "_s));
        const auto purged = ctl()("purge --yes --json --reason crashed");
        QCOMPARE(purged.code, 0);
        QCOMPARE(purged.json()[u"purged"].toInt(), 1);
        const auto left = ctl()("list --json").json()[u"entries"].toArray();
        QCOMPARE(left.size(), 1);
        QCOMPARE(left[0][u"name"].toString(), u"fresh"_s);
        QCOMPARE(ctl()("audit --json").jsonArray()[0][u"reason"].toString(), u"crashed"_s);
        QVERIFY(ctl()("purge").out.contains(u"No entry is stale"_s));
    }

    void endSession()
    {
        m_server->run(m_url, u"create table orders (id int)"_s);
        Session ann(*m_server, m_url, u"ann"_s);
        Session bob(*m_server, m_url, u"bob"_s);
        QVERIFY(ann.begin(u"lock table orders"_s));
        QVERIFY(bob.startWaiting(u"select * from orders"_s));
        VERIFY_CODE(0,
            ctl()("end-session --yes %1 --cancel --reason %2 --json", QString::number(bob.id().value),
                u"in the way"_s));
        QVERIFY(!bob.wait());
        QVERIFY(bob.run(u"select 1"_s));
        QVERIFY(bob.startWaiting(u"select * from orders"_s));
        VERIFY_CODE(0,
            ctl()("end-session --yes %1 --reason %2", QString::number(ann.id().value), u"idle since noon"_s));
        QVERIFY(bob.wait());
        const auto records = ctl()("audit --json").jsonArray();
        QCOMPARE(records.size(), 2);
        QCOMPARE(records[0][u"act"].toString(), u"end session"_s);
        QCOMPARE(records[1][u"act"].toString(), u"cancel statement"_s);
    }

    void endSessionRefusesAnotherSession()
    {
        Session ann(*m_server, m_url, u"ann"_s);
        const QString id = QString::number(ann.id().value);
        const auto another =
            ctl()("end-session --yes %1 --started 2001-01-01T00:00:00.000000Z --reason r", id);
        QCOMPARE(another.code, 1);
        QVERIFY(another.isOneLineOfError());
        QVERIFY(ann.run(u"select 1"_s));
        VERIFY_CODE(
            0, ctl()("end-session --yes %1 --started %2 --reason r", id, ann.started().toIsoString()));
        QCOMPARE(ctl()("end-session 2147483647 --reason r").code, 1);
    }

    void withoutAnAuditOnlyARecordInAFileAllowsActs()
    {
        m_url = m_server->freshDatabase(TestServer::Schema::None);
        const QTemporaryDir folder;
        Lockctl lockctl = ctl();
        lockctl.set(u"XDG_STATE_HOME"_s, folder.path());
        Session ann(*m_server, m_url, u"ann"_s);
        Session bob(*m_server, m_url, u"bob"_s);
        QVERIFY(ann.begin(u"select pg_advisory_xact_lock(1)"_s));
        QVERIFY(bob.startWaiting(u"select pg_advisory_lock(1)"_s));
        const QStringList end =
            Lockctl::words("end-session --yes %1 --reason OPS-17", QString::number(ann.id().value));
        const auto refused = lockctl(end);
        QCOMPARE(refused.code, 1);
        QVERIFY2(refused.isOneLineOfError() && refused.err.contains(u"--local-audit"_s), refused.allOutput());
        QVERIFY(bob.isRunning());
        QCOMPARE(lockctl("audit --local").out, u"Nothing is recorded.\n"_s);

        const auto done = lockctl(end + QStringList{u"--local-audit"_s});
        VERIFY_CODE(0, done);
        const QString file = folder.filePath(u"lockscope/audit.jsonl"_s);
        QVERIFY2(done.out.contains(file), done.allOutput());
        QVERIFY2(done.out.contains(u"Session %1 gets "_s.arg(bob.id().value)), done.allOutput());
        QVERIFY(bob.wait());
        const auto records = lockctl("audit --local --json").jsonArray();
        QCOMPARE(records.size(), 1);
        QCOMPARE(records[0][u"reason"].toString(), u"OPS-17"_s);
        QCOMPARE(records[0][u"outcome"].toString(), u"done"_s);
        QCOMPARE(records[0][u"server"].toString(), m_url.display());
    }

    void passwordFromStandardInput()
    {
        const Lockctl without(m_url.toString());
        const auto process = without.start("run nightly --password-stdin -- cat");
        process->write(m_server->password().toUtf8() + "\nfor the command\n");
        const auto answer = Lockctl::finish(*process);
        VERIFY_CODE(0, answer);
        QCOMPARE(answer.out, u"for the command\n"_s);
        QCOMPARE(without("list --password-stdin").code, usage);
    }

    void sqliteFile()
    {
        const Lockctl file(u"sqlite://"_s + freshPath(u"locks.db"_s));
        QCOMPARE(file("install").code, 0);
        QCOMPARE(file("run nightly -- sh -c %1", u"exit 7"_s).code, 7);
        const auto acquired = file("acquire nightly --json").json();
        QCOMPARE(file("run nightly --no-wait -- true").code, notObtained);
        QCOMPARE(file("list --json").json()[u"entries"][0][u"name"].toString(), u"nightly"_s);
        QCOMPARE(file("release nightly --token %1", acquired[u"token"].toString()).code, 0);
        const auto app = file("run nightly --kind app -- true");
        QCOMPARE(app.code, 1);
        QVERIFY2(app.isOneLineOfError(), qPrintable(app.err));
    }
};

LOCKSCOPE_TEST(tst_Lockctl)

} // namespace tst_Lockctl
#include "tst_Lockctl.moc"
