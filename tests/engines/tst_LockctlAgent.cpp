// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT

// `lockctl agent`, which watches many servers as a service, `lockctl metrics`, and a real Prometheus that
// reads them.

#include "core/watch/IncidentKeeper.h"
#include "tests/support/AgentBench.h"
#include "tests/support/NotifySocket.h"
#include "tests/support/Processes.h"
#include "tests/support/Recordings.h"
#include "tests/support/TestProgram.h"

namespace tst_LockctlAgent {

using namespace lockscope;
using namespace lockscope::test;

/// A real Prometheus that reads from one address each 200 ms.
class Prometheus {
public:
    Prometheus(const QUrl& target, const QString& folder)
    {
        const QString config = test::makeFile(folder + u"/prometheus.yml"_s,
            "global: {scrape_interval: 200ms, scrape_timeout: 200ms}\n"
            "scrape_configs: [{job_name: lockscope, static_configs: [{targets: ['127.0.0.1:"
                + QByteArray::number(target.port()) + "']}]}]\n");
        m_process.setProcessChannelMode(QProcess::MergedChannels);
        m_process.start(u"prometheus"_s,
            {u"--config.file="_s + config, u"--storage.tsdb.path="_s + folder + u"/tsdb"_s,
                u"--web.listen-address=127.0.0.1:%1"_s.arg(m_port), u"--enable-feature=exemplar-storage"_s});
        if (!m_process.waitForStarted())
            qFatal("prometheus does not start: is it installed?");
    }
    ~Prometheus()
    {
        m_process.kill();
        m_process.waitForFinished();
    }
    QJsonArray query(const QString& expression) const
    {
        return asked(u"/api/v1/query"_s, {{u"query"_s, expression}})[u"result"].toArray();
    }
    bool accepts(const QString& expression) const
    {
        return asked(u"/api/v1/query"_s, {{u"query"_s, expression}}).contains(u"result"_s);
    }
    QJsonObject target() const
    {
        return asked(u"/api/v1/targets"_s, {})[u"activeTargets"].toArray().at(0).toObject();
    }
    QJsonObject asked(const QString& path, const QUrlQuery& query) const
    {
        QUrl url(u"http://127.0.0.1:%1%2"_s.arg(m_port).arg(path));
        url.setQuery(query);
        const QJsonObject answer = QJsonDocument::fromJson(httpGet(url.toString()).body).object();
        return answer[u"data"].isArray() ? QJsonObject{{u"result"_s, answer[u"data"]}}
                                         : answer[u"data"].toObject();
    }

private:
    const quint16 m_port = freePort();
    QProcess m_process;
};

/// The queries of the dashboard's panels, of all servers.
static QStringList dashboardQueries()
{
    QStringList queries;
    const QJsonArray panels = QJsonDocument::fromJson(
        test::readFile(test::sourcePath(u"resources/agent/grafana-dashboard.json"_s)))[u"panels"]
                                  .toArray();
    for (const auto& panel : panels)
        for (const auto& target : panel.toObject()[u"targets"].toArray())
            queries << target.toObject()[u"expr"]
                           .toString()
                           .replace(u"$server"_s, u".*"_s)
                           .replace(u"$database"_s, u".*"_s);
    return queries;
}

class tst_LockctlAgent : public QObject, test::AgentBench {
    Q_OBJECT

private Q_SLOTS:
    void init() { setUp(); }
    void cleanup() { tearDown(); }

    /// From waiting sessions to Prometheus' figures of them, with an incident and a server that can't be
    /// reached.
    void prometheusReadsWhatTheAgentSees()
    {
        const auto agent = start({m_url.toString(), nowhere});
        const QString url = metricsUrl(*agent);
        const Prometheus prometheus(QUrl(url), m_folder->path());
        block(3);
        const auto read = [&] { return httpGet(url).body; };
        QVERIFY(waitUntil([&] { return sample(read(), firing()) == "1"; }));
        QVERIFY(waitUntil([&] { return sample(read(), up(nowhere)) == "0"; }));
        // The connections are counted with the surroundings, which are read less often than the locks.
        QVERIFY(waitUntil([&] { return sample(read(), "lockscope_connections{").toInt() >= 4; }));
        const QByteArray text = read();
        QCOMPARE(sample(text, up(m_url.toString())), "1"_qba);
        QCOMPARE(sample(text, "lockscope_waiting_sessions{"), "3"_qba);
        QVERIFY(!text.contains("secret value"));

        const auto value = [&](const QString& expression) {
            return prometheus.query(expression).at(0)[u"value"].toArray().at(1).toString();
        };
        QVERIFY(waitUntil([&] { return value(u"sum(lockscope_waiting_sessions)"_s) == u"3"_s; }));
        QCOMPARE(prometheus.target()[u"health"].toString(), u"up"_s);
        QCOMPARE(prometheus.target()[u"lastError"].toString(), QString());
        QVERIFY(waitUntil([&] { return value(u"sum(lockscope_waited_seconds_total) > 3"_s) != QString(); }));
        QVERIFY(waitUntil([&] { return value(u"max(lockscope_incidents_total)"_s) == u"1"_s; }));
        QVERIFY(waitUntil([&] {
            return !prometheus
                        .asked(u"/api/v1/query_exemplars"_s,
                            {{u"query"_s, u"lockscope_incidents_total"_s},
                                {u"start"_s, u"2020-01-01T00:00:00Z"_s},
                                {u"end"_s, u"2100-01-01T00:00:00Z"_s}})[u"result"]
                        .toArray()
                        .isEmpty();
        }));
        QVERIFY(seriesOfOneServer(text) < 100);
        QVERIFY(dashboardQueries().size() > 15);
        for (const QString& expression : dashboardQueries())
            QVERIFY2(prometheus.accepts(expression), qPrintable(expression));
        QVERIFY(!prometheus.accepts(u"rate(lockscope_polls_total)"_s)); // it has no range

        QVERIFY(unblock());
        QVERIFY(waitUntil([&] { return sample(read(), firing()) == "0"; }));
        QCOMPARE(sample(read(), "lockscope_waiting_sessions{"), "0"_qba);
        const auto ended = Lockctl::terminate(*agent);
        QVERIFY2(ended.code == 128 + SIGTERM, ended.allOutput());
        QVERIFY2(ended.out.contains(u"Resolved"_s), ended.allOutput());
    }

    /// A server that stays has no gap, a new one is watched, and one that was removed no longer.
    void hangUpReadsTheFileAgain()
    {
        const db::ServerUrl other = m_server->freshDatabase();
        const auto agent = start({m_url.toString(), nowhere});
        const QString url = metricsUrl(*agent);
        QVERIFY(waitUntil([&] { return polls(url, m_url) > 4; }));
        writeConfig({m_url.toString(), other.toString()});
        hangUp(*agent);
        QVERIFY(waitUntil([&] { return sample(httpGet(url).body, up(other.toString())) == "1"; }));
        const QByteArray text = httpGet(url).body;
        QVERIFY(sample(text, up(nowhere)).isEmpty());
        QVERIFY(polls(url, m_url) > 4); // continued, not started again

        write(u"agent.json"_s, "{'servers': [\n 5]}");
        hangUp(*agent);
        QByteArray message;
        QVERIFY(waitUntil(
            [&] { return (message += agent->readAllStandardError()).contains("stay as they were"); }));
        QVERIFY2(message.contains("agent.json:2:2: "), message);
        const int before = polls(url, m_url);
        QVERIFY(waitUntil([&] { return polls(url, m_url) > before + 2; }));

        Lockctl::terminate(*agent);
        const auto reader = test::readRecording(recordingOf(m_url));
        const auto segments = reader->segments();
        QVERIFY(segments);
        for (const auto& segment : *segments) // only the end was one: a machine under load may leave gaps
            QCOMPARE(segment.endReason == u"stopped"_s, &segment == &segments->back());
        QVERIFY(record::RecordingReader::open(recordingOf(other)));
    }

    void incidentsOfAServerThatLeavesEnd()
    {
        const auto agent = start({m_url.toString(), nowhere});
        block(3);
        const auto isBlocked = [this] { return ctl()("alerts list").out.contains(u"3 sessions wait"_s); };
        QVERIFY(waitUntil(isBlocked));
        writeConfig({nowhere});
        hangUp(*agent);
        QVERIFY(waitUntil([&] { return !isBlocked(); }));
        const auto shown = ctl()("alerts show 1");
        QVERIFY2(shown.out.contains(u"does not watch this server any more"_s), shown.allOutput());
        Lockctl::terminate(*agent);
    }

    /// One of its databases is removed from the file: the server still can't be reached.
    void incidentsOfAServerLastAsLongAsADatabaseOfItIsWatched()
    {
        write(u"config/lockscope/alerts.json"_s,
            "{'rules': [{'name': 'away', 'when': 'server unreachable', 'levels': [{'severity': 'critical', 'from': '1s'}]}]}");
        const QString sibling = QString(nowhere).replace(u"/nowhere"_s, u"/sibling"_s);
        const auto agent = start({m_url.toString(), nowhere, sibling});
        const auto listed = [this] { return ctl()("alerts list").out; };
        const auto isFiring = [&] { return listed().contains(u"localhost:1"_s); };
        QVERIFY2(waitUntil(isFiring), qPrintable(listed()));
        const auto leave = [&](const QStringList& servers) {
            writeConfig(servers);
            hangUp(*agent);
            QByteArray message;
            return waitUntil(
                [&] { return (message += agent->readAllStandardOutput()).contains("No longer watching"); });
        };
        QVERIFY(leave({m_url.toString(), sibling}));
        QTest::qWait(500); // an incident that ended by mistake would be off the list by then
        QVERIFY2(isFiring(), qPrintable(listed()));
        QVERIFY(leave({m_url.toString()}));
        QVERIFY(waitUntil([&] { return !isFiring(); }));
        Lockctl::terminate(*agent);
    }

    /// The receiver needs a second for each notice.
    void noticesOfAServerThatLeavesAreSentBeforeTheEnd()
    {
        const test::HttpServer hook([](const test::HttpServer::Request&) {
            QThread::sleep(1);
            return test::HttpServer::status(200);
        });
        write(u"config/lockscope/alerts.json"_s,
            "{'rules': [{'name': 'blocked sessions', 'when': 'blocked sessions', 'levels': [{'severity': 'warning', 'from': 3}]}], 'channels': [{'name': 'hook', 'kind': 'webhook', 'url': '"
                + hook.url().toUtf8() + "'}]}");
        const auto agent = start({m_url.toString(), nowhere});
        block(3);
        QVERIFY(waitUntil([&] { return hook.requests().size() == 1; }));
        QVERIFY(waitUntil([&] { return ctl()("alerts list").out.contains(u"3 sessions wait"_s); }));
        writeConfig({nowhere});
        hangUp(*agent);
        QByteArray message;
        QVERIFY(waitUntil(
            [&] { return (message += agent->readAllStandardOutput()).contains("No longer watching"); }));
        Lockctl::terminate(*agent);
        const auto sent = hook.requests();
        QCOMPARE(sent.size(), 2);
        QVERIFY2(sent[1].body.contains("does not watch this server any more"), sent[1].body);
        const auto store =
            watch::IncidentStore::open(m_folder->filePath(u"state/lockscope/incidents.sqlite"_s));
        QVERIFY(store);
        const auto queue = (*store)->queue();
        QVERIFY(queue);
        for (const auto& channel : *queue)
            QCOMPARE(channel.waiting, 0);
    }

    /// Otherwise the service manager would kill the agent for one server that is rarely polled.
    void aServerThatIsRarelyPolledStarvesNoWatchdog()
    {
        const QByteArray address = QFile::encodeName(m_folder->filePath(u"notify"_s));
        NotifySocket manager(address);
        m_notify = QString::fromUtf8(address);
        const QString rare = m_server->freshDatabase().toString();
        const auto writeBoth = [&](const QByteArray& redact) {
            write(u"agent.json"_s,
                "{'servers': ['" + m_url.toString().toUtf8() + "', {'server': '" + rare.toUtf8()
                    + "', 'interval': '1h'}], 'interval': '200ms', 'redact': " + redact + "}");
        };
        writeBoth("false");
        const auto agent = ctl().start("agent %1", configPath());
        QVERIFY(manager.waitFor("READY=1"));
        QVERIFY(manager.waitForStatus("2 of 2"));
        QVERIFY(manager.waitFor("WATCHDOG=1", manager.received().count("WATCHDOG=1") + 4));
        // Both begin again, and have written less than before.
        writeBoth("true");
        hangUp(*agent);
        QByteArray message;
        QVERIFY(waitUntil(
            [&] { return (message += agent->readAllStandardOutput()).contains("was read again"); }));
        QVERIFY(manager.waitForStatus("2 of 2"));
        QVERIFY(manager.waitFor("WATCHDOG=1", manager.received().count("WATCHDOG=1") + 4));
        VERIFY_CODE(0, Lockctl::terminate(*agent));
    }

    void asAServiceItSaysWhatBecomesOfIt()
    {
        const QByteArray address = QFile::encodeName(m_folder->filePath(u"notify"_s));
        NotifySocket manager(address);
        m_notify = QString::fromUtf8(address);
        const auto agent = start({m_url.toString(), nowhere});
        QVERIFY(manager.waitFor("READY=1"));
        QVERIFY(manager.waitForStatus("1 of 2"));
        QVERIFY(manager.waitFor("WATCHDOG=1", 3));
        VERIFY_CODE(0, Lockctl::terminate(*agent));
        QVERIFY(manager.waitFor("STOPPING=1"));
    }

    void faultsOfTheFileAreReportedByLine()
    {
        const auto check = [this](const QByteArray& text) {
            write(u"agent.json"_s, text);
            return ctl()("agent --check %1", configPath());
        };
        QCOMPARE(
            check(
                "{'servers': ['sandbox:', {'server': 'postgresql://ann@db1/shop', 'keep': '3d'}], 'at_once': 8, 'metrics': {}}")
                .code,
            0);
        const auto bad =
            check("{'servers': [\n {'server': 'a', 'interval': '5ms'},\n {'sever': 'b'},\n 'a'],\n"
                  " 'keep': 'much', 'password': 'hunter2',\n 'metrics': {'address': '0.0.0.0'}}");
        QVERIFY(bad.code != 0);
        for (const char* fault : {":2:30: ", ":3:2: ", ":3:3: ", ":4:2: ", ":5:10: ", ":5:30: "})
            QVERIFY2(bad.err.contains(u"agent.json"_s + QString::fromLatin1(fault)), bad.allOutput());
        QVERIFY2(!bad.err.contains(u"hunter2"_s), bad.allOutput());
        const auto unknown = check("{'servers': [\n 'shop',\n {'server': 'oracle://db1/shop'}]}");
        QVERIFY2(unknown.err.contains(u"agent.json:2:2: No server is saved"_s), unknown.allOutput());
        QVERIFY2(unknown.err.contains(u"agent.json:3:13: "_s), unknown.allOutput());
        const auto open = check("{'servers': ['a'],\n 'metrics': {'address': '0.0.0.0'}}");
        QVERIFY2(
            open.err.contains(u"agent.json:2:13: "_s) && open.err.contains(u"0.0.0.0"_s), open.allOutput());

        check("{'servers': ['a']}");
        QFile(configPath())
            .setPermissions(QFileDevice::ReadOwner | QFileDevice::WriteOwner | QFileDevice::WriteOther);
        const auto others = ctl()("agent %1", configPath());
        QVERIFY2(others.code != 0 && others.err.contains(u"another account may write"_s), others.allOutput());
    }

    void oneDatabaseUnderTwoNamesIsAFault()
    {
        QSettings settings(m_folder->filePath(u"config/lockscope/lockscope.conf"_s), QSettings::NativeFormat);
        const db::ServerProfile saved =
            test::profileOf(*db::ServerUrl::parse(u"postgresql://ann@db1/shop"_s), u"shop"_s);
        db::ProfileStore(settings).save({saved});
        settings.sync();
        write(u"agent.json"_s,
            "{'servers': [\n 'shop',\n 'postgresql://bob@DB1:5432/shop',\n 'postgresql://ann@db1/stock',\n 'postgresql://ann@localhost/x',\n {'server': 'postgresql://ann@127.0.0.1:5432/x'}]}");
        const auto checked = ctl()("agent --check %1", configPath());
        QVERIFY2(checked.code != 0, checked.allOutput());
        QVERIFY2(
            checked.err.contains(u"agent.json:3:2: This database is named twice"_s), checked.allOutput());
        QVERIFY2(
            checked.err.contains(u"agent.json:6:13: This database is named twice"_s), checked.allOutput());
        QCOMPARE(checked.err.count(u"agent.json:"_s), 2);
    }

    /// The agent is killed in the middle of an incident and of a recording.
    void killedItGoesOnWhereItWas()
    {
        auto agent = start({m_url.toString()});
        block(3);
        QString url = metricsUrl(*agent);
        QVERIFY(waitUntil([&] { return sample(httpGet(url).body, firing()) == "1"; }));
        const auto store =
            watch::IncidentStore::open(m_folder->filePath(u"state/lockscope/incidents.sqlite"_s));
        QVERIFY(store);
        const auto before = (*store)->firing();
        QVERIFY(before && before->size() == 1);
        const int polled = polls(url, m_url);
        agent->kill();
        agent->waitForFinished();
        VERIFY_CODE(0, ctl()("recordings verify %1", recordingOf(m_url)));

        agent = start({m_url.toString()});
        url = metricsUrl(*agent);
        QVERIFY(waitUntil([&] { return polls(url, m_url) > 10; })); // longer than the rule waits
        const auto after = (*store)->firing();
        QVERIFY(after && after->size() == 1);
        QCOMPARE(after->front().id, before->front().id);
        QCOMPARE((*store)->steps(before->front().id)->size(), 1);
        QVERIFY(unblock());
        QVERIFY(waitUntil([&] { return (*store)->firing()->isEmpty(); }));
        const auto all = (*store)->list({});
        QVERIFY(all);
        QCOMPARE(all->all.size(), 1);
        QCOMPARE((*store)->steps(before->front().id)->size(), 2);
        Lockctl::terminate(*agent);
        VERIFY_CODE(0, ctl()("recordings verify %1", recordingOf(m_url)));
        const auto reader = test::readRecording(recordingOf(m_url));
        QVERIFY(reader->segments()->size() >= 2);
        // The last write may have been under way.
        QVERIFY(reader->span()->frames >= polled - 2 + 10);
    }

    /// The effect of polls on other sessions is measured.
    void whatItsPollsWaitForIsMeasured()
    {
        const auto agent = start({m_url.toString()});
        const QString url = metricsUrl(*agent);
        const auto value = [&](const char* name) {
            return sample(httpGet(url).body, line(name, m_url.toString())).toDouble();
        };
        QVERIFY(waitUntil([&] { return polls(url, m_url) > 2; }));
        QCOMPARE(value("lockscope_observer_wait_seconds_total"), 0.0);
        m_head = std::make_unique<test::Session>(*m_server, m_url);
        QVERIFY(m_head->begin(u"LOCK TABLE lockscope.lock_entry"_s));
        QVERIFY(waitUntil([&] { return value("lockscope_observer_wait_seconds_total") > 0; }));
        QVERIFY(m_head->run(u"ROLLBACK"_s));
        Lockctl::terminate(*agent);
    }

    void onePollForTheNodeExporter()
    {
        block(2);
        const QString file = m_folder->filePath(u"lockscope.prom"_s);
        const auto both = ctl()("metrics %1 %2 --out %3", m_url.toString(), nowhere, file);
        QVERIFY2(both.code == 1 && both.err.contains(u"nowhere"_s), both.allOutput());
        const QByteArray text = test::readFile(file);
        QCOMPARE(sample(text, up(m_url.toString())), "1"_qba);
        QCOMPARE(sample(text, up(nowhere)), "0"_qba);
        QCOMPARE(sample(text, "lockscope_waiting_sessions{"), "2"_qba);
        // Nobody goes on counting, or getting old, in a file.
        for (const char* none : {"_polls_total", "_waited_seconds_total", "lockscope_snapshot_age",
                 "lockscope_poll_interval", "process_"})
            QVERIFY2(!text.contains(none), none);
        const double at =
            sample(text, line("lockscope_snapshot_timestamp_seconds", m_url.toString())).toDouble();
        QVERIFY(std::abs(at - double(QDateTime::currentSecsSinceEpoch())) < 120);

        const auto open = ctl()("metrics --format openmetrics");
        QVERIFY2(open.code == 0 && open.out.endsWith(u"# EOF\n"_s), open.allOutput());
    }

private:
    QByteArray firing() const
    {
        return quoted("lockscope_incidents_firing{server='") + watch::causeServer(m_url).toUtf8()
            + quoted("',severity='warning'}");
    }
    static qsizetype seriesOfOneServer(const QByteArray& text)
    {
        const QByteArrayList lines = text.split('\n');
        return std::ranges::count_if(
            lines, [](const QByteArray& line) { return !line.startsWith('#') && !line.contains("nowhere"); });
    }
};

LOCKSCOPE_TEST(tst_LockctlAgent)

} // namespace tst_LockctlAgent
#include "tst_LockctlAgent.moc"
