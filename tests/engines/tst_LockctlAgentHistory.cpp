// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// Agents at several sites write into one team's history, which is read elsewhere.

#include "core/record/postgres/HistorySchema.h"
#include "core/record/postgres/HistoryStore.h"
#include "tests/support/AgentBench.h"
#include "tests/support/FaultyNetwork.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"

namespace tst_LockctlAgentHistory {

using namespace lockscope;
using namespace lockscope::test;

class tst_LockctlAgentHistory : public QObject, test::AgentBench {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qputenv("LOCKSCOPE_PASSWORD", m_server->password().toUtf8()); }
    void cleanupTestCase() { qunsetenv("LOCKSCOPE_PASSWORD"); }
    void init()
    {
        setUp();
        m_history = m_server->freshDatabase(test::TestServer::Schema::None);
        QVERIFY(record::installHistory(*m_server->connect(m_history)));
        m_reader = roleWith(u"GRANT lockscope_history_reader TO {role}"_s);
    }
    void cleanup() { tearDown(); }

    /// One of two agents is killed in the midst of an incident, and goes on later.
    void twoSitesWriteOneHistoryAndAnybodyReadsBoth()
    {
        const db::ServerUrl far = m_server->freshDatabase();
        auto agent = startInto(m_url, writer());
        const auto other = startAt(u"site2"_s, far, writer());
        QString url = metricsUrl(*agent);
        const QString otherUrl = metricsUrl(*other);
        QVERIFY(waitUntil([&] { return isAllThere(url, m_url) && isAllThere(otherUrl, far); }));
        block(3);
        QVERIFY2(waitUntil([&] { return incidents(m_url).out.contains(u"3 sessions wait"_s); }),
            incidents(m_url).allOutput());
        agent->kill();
        agent->waitForFinished();
        const int before = polls(otherUrl, far);
        QVERIFY(waitUntil([&] { return polls(otherUrl, far) > before + 3; }));
        const auto list = elsewhere()("recordings list --from-history %1 --json", m_reader.toString());
        QVERIFY2(list.code == 0 && list.jsonArray().size() == 2, list.allOutput());
        for (const auto& each : list.jsonArray()) {
            QVERIFY(each[u"since_written_ms"].toInt(-1) >= 0);
            QVERIFY(each[u"first"].toString() < each[u"last"].toString());
        }

        agent = startInto(m_url, writerOf(m_url));
        url = metricsUrl(*agent);
        QVERIFY(waitUntil([&] { return isAllThere(url, m_url) && polls(url, m_url) > 10; }));
        QVERIFY(unblock());
        QVERIFY2(waitUntil([&] { return incidents(m_url).out.contains(u"Resolved after"_s); }),
            incidents(m_url).allOutput());
        QVERIFY2(incidents(m_url).out.contains(u" was recorded from 20"_s), incidents(m_url).allOutput());
        for (QProcess* each : {agent.get(), other.get()}) {
            const auto ended = Lockctl::terminate(*each);
            QVERIFY2(!ended.err.contains(u"Not all of"_s), ended.allOutput());
        }
        const auto file = ctl()("recordings verify %1 --json", recordingOf(m_url));
        const auto there = elsewhere()("recordings verify %1 --json", placeOf(m_url));
        QVERIFY2(file.code == 0 && there.code == 0, there.allOutput());
        QCOMPARE(there.jsonArray()[0][u"whole"], file.jsonArray()[0][u"whole"]);
        const auto snapshot = elsewhere()("list --recording %1 --json", placeOf(m_url));
        VERIFY_CODE(0, snapshot);
        QCOMPARE(snapshot.out, ctl()("list --recording %1 --json", recordingOf(m_url)).out);
    }

    void aHistoryThatIsAwaySlowsNoPollAndLosesNothing()
    {
        FaultyNetwork network(writer());
        const auto agent = startInto(m_url, network.url());
        const QString url = metricsUrl(*agent);
        QVERIFY(waitUntil([&] { return isAllThere(url, m_url); }));
        const auto timeOf15Polls = [&url, this] {
            const int before = polls(url, m_url);
            QElapsedTimer clock;
            clock.start();
            return waitUntil([&] { return polls(url, m_url) >= before + 15; }) ? clock.elapsed() : -1;
        };
        const qint64 usual = timeOf15Polls();
        network.stall(); // the worst: nobody says no
        const int before = polls(url, m_url);
        const qint64 stalled = timeOf15Polls();
        QVERIFY2(usual > 0 && stalled > 0 && stalled < 2 * usual, QByteArray::number(stalled));
        network.cut();
        QVERIFY(waitUntil([&] { return figure(url, "failing") == 1; }));
        QVERIFY(waitUntil([&] { return figure(url, "pending_snapshots") >= 15; }));
        QVERIFY(figure(url, "pending_age_seconds") > 1);
        QVERIFY(figure(url, "failures_total") >= 1);
        QByteArray message;
        QVERIFY(waitUntil(
            [&] { return (message += agent->readAllStandardError()).contains("can't be reached, and"); }));
        // The connection is refused while the file is read again: all goes on.
        writeConfig({m_url.toString()}, historyKey(network.url()) + ", 'keep': '2d'");
        hangUp(*agent);
        QVERIFY(waitUntil([&] { return polls(url, m_url) >= before + 25; }));
        network.mend();
        QVERIFY(waitUntil([&] { return figure(url, "failing") == 0 && isAllThere(url, m_url); }));
        QCOMPARE(figure(url, "lost_snapshots_total"), 0);
        const auto reader = test::readRecording(placeOf(m_url));
        QVERIFY(reader->span()->frames >= 25);
        QVERIFY(isUninterrupted(*reader));
        agent->terminate();
        message += Lockctl::finish(*agent).err.toUtf8();
        QVERIFY2(message.count("can't be reached, and") == 1 && message.count("is back, and") == 1, message);
        QVERIFY2(message.indexOf("can't be reached") < message.indexOf("is back"), message);
    }

    /// The agent reads no link in the place of a recording.
    void aRecordingThatCantBeReadIsInTheLogOnce()
    {
        const db::ServerUrl to = writer();
        auto agent = startInto(m_url, to);
        QVERIFY(waitUntil([&, url = metricsUrl(*agent)] { return isAllThere(url, m_url); }));
        Lockctl::terminate(*agent);
        const QString file = recordingOf(m_url);
        QVERIFY(QFile::rename(file, file + u".kept"_s) && QFile::link(file + u".kept"_s, file));
        agent = startInto(m_url, to);
        const QString url = metricsUrl(*agent);
        QByteArray message;
        const QByteArray unreadable = file.toUtf8() + " can't be read, and does not go to the history";
        QVERIFY(waitUntil([&] { return (message += agent->readAllStandardError()).contains(unreadable); }));
        QVERIFY2(message.contains("Name the file itself, not a link to it"), message);
        QCOMPARE(figure(url, "failing"), 1);
        QVERIFY(QFile::remove(file) && QFile::rename(file + u".kept"_s, file));
        const QByteArray again = file.toUtf8() + " goes to the history";
        QVERIFY(waitUntil([&] { return (message += agent->readAllStandardError()).contains(again); }));
        QCOMPARE(figure(url, "failing"), 0);
        agent->terminate();
        message += Lockctl::finish(*agent).err.toUtf8();
        QVERIFY2(message.count(unreadable) == 1 && message.count(again) == 1, message);
    }

    void aReloadAddsAHistoryAndTakesItAway()
    {
        const db::ServerUrl to = writer();
        const auto agent = start({m_url.toString()});
        const QString url = metricsUrl(*agent);
        QVERIFY(waitUntil([&] { return polls(url, m_url) > 5; }));
        QVERIFY(sample(httpGet(url).body, "lockscope_history_").isEmpty());
        writeConfig({m_url.toString()}, historyKey(to));
        hangUp(*agent);
        QVERIFY(waitUntil([&] { return isAllThere(url, m_url); })); // with what was recorded before
        const auto reader = test::readRecording(placeOf(m_url));
        QVERIFY(reader->span()->frames > 5);
        QVERIFY(isUninterrupted(*reader));
        writeConfig({m_url.toString()});
        hangUp(*agent);
        QVERIFY(waitUntil([&] { return sample(httpGet(url).body, "lockscope_history_").isEmpty(); }));
        Lockctl::terminate(*agent);
    }

    void aServerThatLeavesBringsItsRestFirst()
    {
        const auto agent = startInto(m_url, writer());
        const QString url = metricsUrl(*agent);
        QVERIFY(waitUntil([&] { return isAllThere(url, m_url); }));
        writeConfig({nowhere}, historyKey(writer()));
        hangUp(*agent);
        const auto endOf = [](const QString& place) {
            const auto reader = record::RecordingReader::open(place);
            return reader ? (*reader)->segments()->last().endReason : QString();
        };
        QVERIFY(waitUntil([&] { return endOf(placeOf(m_url)) == u"stopped"; }));
        Lockctl::terminate(*agent);
    }

    void whatIsWrongWithAHistoryIsReportedByLine()
    {
        const db::ServerUrl empty = m_server->freshDatabase(test::TestServer::Schema::None);
        const auto check = [this](const QByteArray& history) {
            write(u"agent.json"_s, "{'servers': ['sandbox:'],\n 'history': " + history + '}');
            return ctl()("agent --check %1", configPath());
        };
        const auto fine = check('\'' + writer().toString().toUtf8() + '\'');
        QVERIFY2(fine.code == 0 && fine.out.contains(u"1 server, 1 history: no faults"_s), fine.allOutput());
        QVERIFY2(fine.err.isEmpty(), fine.allOutput());
        for (const auto& [history, complaint] :
            {std::pair("'postgresql://ann:hunter2@db2/history'"_qba, u"password"_s),
                {"'sqlserver://ann@db2/history'"_qba, u"kept by PostgreSQL only"_s},
                {"'postgresql://ann@127.0.0.1:1/history'"_qba, u"127.0.0.1"_s}, {"5"_qba, u"a URL"_s},
                {"true"_qba, u"a URL"_s}, {"{'sever': 'a'}"_qba, u"sever"_s},
                {"{'server': 'postgresql://ann@db2/history', 'password': 'hunter2'}"_qba, u"env:NAME"_s},
                {'\'' + empty.toString().toUtf8() + '\'', u"no history in this database"_s},
                {'\'' + m_reader.toString().toUtf8() + '\'', u"GRANT lockscope_history_writer"_s}}) {
            const auto bad = check(history);
            QVERIFY2(bad.code != 0 && bad.err.contains(u"agent.json:2:"_s), bad.allOutput());
            QVERIFY2(bad.err.contains(complaint, Qt::CaseInsensitive), bad.allOutput());
            QVERIFY2(!bad.err.contains(u"hunter2"_s), bad.allOutput());
        }
        check('\'' + writer().toString().toUtf8() + '\'');
        const auto readOnly = ctl()("--read-only agent --check %1", configPath());
        QVERIFY2(
            readOnly.code != 0 && readOnly.err.contains(u"lockctl is read-only"_s), readOnly.allOutput());
        const auto superuser = check('\'' + m_history.toString().toUtf8() + '\'');
        QVERIFY2(
            superuser.code == 0 && superuser.err.contains(u"is a superuser there"_s), superuser.allOutput());
        const db::ServerUrl both =
            roleWith(u"GRANT lockscope_history_reader, lockscope_history_writer TO {role}"_s);
        const auto more = check('\'' + both.toString().toUtf8() + '\'');
        QVERIFY2(
            more.code == 0 && more.err.contains(u"may read what others have recorded"_s), more.allOutput());
        // A server's own counts first; false is none.
        write(u"agent.json"_s,
            "{'history': '" + writer().toString().toUtf8()
                + "', 'servers': [{'server': 'sandbox:', 'history': false}]}");
        QCOMPARE(ctl()("agent --check %1", configPath()).code, 0);
    }

    /// Names that another writer has chosen reach a terminal as text.
    void namesOfOthersAreText()
    {
        const db::ServerUrl mallory = writer();
        QVERIFY(m_server->connect(mallory)->executeScript(
            "SELECT lockscope_history.begin_recording('x', E'shop\\x1b]0;owned\\x07\\u202e@db1', 'postgres', 1, 0, '', E'h\\x1b[2J', '', '')"));
        const auto list = elsewhere()("recordings list --from-history %1", m_reader.toString());
        VERIFY_CODE(0, list);
        QVERIFY(list.out.contains(u"owned"_s));
        for (const QChar mark : {QChar(0x1b), QChar(0x07), QChar(0x202e)})
            QVERIFY2(!list.out.contains(mark), list.allOutput());
    }

    /// A user who floods the list with recordings of his own hides nobody else's.
    void nobodyHidesOthers()
    {
        const auto agent = startInto(m_url, writer());
        const QString url = metricsUrl(*agent);
        QVERIFY(waitUntil([&] { return isAllThere(url, m_url); }));
        Lockctl::terminate(*agent);
        QVERIFY(m_server->connect(writer())->executeScript(
            "DO $$ BEGIN FOR i IN 1..10100 LOOP PERFORM lockscope_history.begin_recording('x' || i, 'shop', 'postgres', 1, 0, '', '', '', ''); END LOOP; END $$"));
        const auto recordings = record::recordingsOf(m_server->at(m_reader));
        QVERIFY(recordings);
        QVERIFY(std::ranges::any_of(
            *recordings, [](const record::HistoryRecording& each) { return each.last.has_value(); }));
        QVERIFY(recordings->size() < 1'000);
    }

private:
    db::ServerUrl roleWith(const QString& grant) const { return m_server->asRole(m_history, grant); }
    db::ServerUrl writer() const { return roleWith(u"GRANT lockscope_history_writer TO {role}"_s); }
    /// The login that has written this server's recording.
    db::ServerUrl writerOf(const db::ServerUrl& server) const
    {
        db::ServerUrl url = m_history;
        url.user = test::ask(*m_server->connect(m_history),
            u"SELECT writer::text FROM lockscope_history.recording WHERE server LIKE '%/%1'"_s.arg(
                server.database));
        return url;
    }
    static QByteArray historyKey(const db::ServerUrl& history)
    {
        return ", 'history': {'server': '" + history.toString().toUtf8()
            + "', 'password': 'env:LOCKSCOPE_PASSWORD'}";
    }
    std::unique_ptr<QProcess> startInto(const db::ServerUrl& server, const db::ServerUrl& history) const
    {
        return start({server.toString()}, historyKey(history));
    }
    /// Another machine has other folders.
    Lockctl elsewhere(const QString& site = u"reader"_s) const
    {
        Lockctl lockctl = ctl();
        lockctl.set(u"XDG_STATE_HOME"_s, m_folder->filePath(site));
        lockctl.set(u"XDG_CONFIG_HOME"_s, m_folder->filePath(site + u"-config"_s));
        lockctl.unset(u"LOCKSCOPE_SERVER"_s);
        return lockctl;
    }
    std::unique_ptr<QProcess> startAt(
        const QString& site, const db::ServerUrl& server, const db::ServerUrl& history) const
    {
        write(site + u".json"_s,
            "{'servers': ['" + server.toString().toUtf8() + "'], 'interval': '200ms', 'metrics': {'port': 0}"
                + historyKey(history) + '}');
        return elsewhere(site).start({u"agent"_s, m_folder->filePath(site + u".json"_s)});
    }
    double figure(const QString& metrics, const QByteArray& name) const
    {
        const QByteArray value =
            sample(httpGet(metrics).body, line("lockscope_history_" + name, m_url.toString()));
        return value.isEmpty() ? -1 : value.toDouble();
    }
    static bool isAllThere(const QString& metrics, const db::ServerUrl& server)
    {
        const QByteArray text = httpGet(metrics).body;
        const QString url = server.toString();
        return sample(text, line("lockscope_history_snapshots_total", url)).toInt() > 3
            && sample(text, line("lockscope_history_pending_snapshots", url)) == "0";
    }
    /// Nothing was ended and begun again; a machine under load may leave gaps.
    static bool isUninterrupted(record::RecordingReader& reader)
    {
        const auto segments = reader.segments();
        return segments && std::ranges::all_of(*segments, [](const record::Segment& each) {
            return each.endReason != u"stopped";
        });
    }
    /// The server's recording in the history, for a reader.
    QString placeOf(const db::ServerUrl& server) const
    {
        return m_reader.toString() + u'#'
            + test::ask(*m_server->connect(m_history),
                u"SELECT id FROM lockscope_history.recording WHERE server LIKE '%/%1'"_s.arg(
                    server.database));
    }
    Lockctl::Answer incidents(const db::ServerUrl& server) const
    {
        return elsewhere()("alerts history --recording %1", placeOf(server));
    }

    db::ServerUrl m_history;
    db::ServerUrl m_reader;
};

LOCKSCOPE_TEST(tst_LockctlAgentHistory)

} // namespace tst_LockctlAgentHistory
#include "tst_LockctlAgentHistory.moc"
