// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/metrics/MetricsWatch.h"
#include "core/metrics/OpenMetrics.h"
#include "core/metrics/ServerMetrics.h"
#include "tests/support/HttpServer.h"
#include "tests/support/MadeIncidents.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TestProgram.h"

#include <QTcpSocket>

#include <unistd.h>

namespace tst_Metrics {

using namespace lockscope;
using namespace lockscope::metrics;
using namespace lockscope::test;

/// Returns the message of a program about the text; empty if it accepts it.
static QByteArray judged(const QString& program, const QStringList& arguments, const QByteArray& text)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    if (!process.waitForStarted())
        return "does not start: " + program.toUtf8();
    process.write(text);
    process.closeWriteChannel();
    process.waitForFinished();
    const QByteArray said = process.readAll();
    return process.exitCode() == 0 ? QByteArray() : "refused: " + said;
}

/// Prometheus' reference parser of OpenMetrics, and its checks: order, units, suffixes, bounds, exemplars.
static QByteArray judgedAsOpenMetrics(const QByteArray& text)
{
    return judged(u"/usr/bin/python3"_s,
        {u"-c"_s,
            u"import sys; from prometheus_client.openmetrics.parser import text_string_to_metric_families as p; list(p(sys.stdin.read()))"_s},
        text);
}

static QByteArray judgedAsText(const QByteArray& text)
{
    return judged(u"promtool"_s, {u"check"_s, u"metrics"_s}, text);
}

/// The line of a sample, or all of them.
static QByteArray lineOf(const QByteArray& text, const QByteArray& start)
{
    QByteArrayList found;
    for (const QByteArray& line : text.split('\n'))
        if (line.startsWith(start))
            found << line;
    return found.join('\n');
}

static QByteArray textOf(const ServerMetrics& metrics, Format format = Format::OpenMetrics,
    ServerMetrics::Clock::time_point now = ServerMetrics::Clock::now())
{
    FamilySet set;
    metrics.addTo(set, now);
    return written(set.families(), format);
}

/// 63 waits for 51 since `waited` seconds at the time `second`.
static SnapshotPtr chain(int second, int waited)
{
    SnapshotBuilder s(second);
    s.session(51, "billing").idleInTransaction(waited + 5);
    s.session(63, "report");
    s.holds(51, "public.orders", "AccessExclusiveLock", waited + 5);
    s.waits(63, "public.orders", "AccessShareLock", waited);
    s.entry("nightly", "ann").lease(600, 700);
    return s.take();
}

static SnapshotPtr calm(int second)
{
    return SnapshotBuilder(second).take();
}

static std::unique_ptr<MetricsServer> serving(ListenSettings settings, const QByteArray& text = "text\n"_qba)
{
    settings.port = 0;
    return orDie(MetricsServer::start(settings, [text](Format) { return text; }));
}

class tst_Metrics : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void parsersOfOthersAcceptAll()
    {
        FamilySet set;
        for (const char* database : {"shop", "stock"}) {
            ServerMetrics metrics(u"db1:5432"_s, QString::fromLatin1(database));
            metrics.noteSnapshot(chain(0, 40), 2s);
            metrics.noteSnapshot(chain(2, 42), 2s);
            metrics.noteMeasures({{monitor::measures::connections, {}, 17},
                {monitor::measures::maxConnections, {}, 97}, {monitor::measures::replica, {}, 0}});
            metrics.noteLockCounts({{u"table"_s, 4, 2'500ms, 17, {}, 1}, {u"row"_s, 0, {}, {}, 2, 0}});
            metrics.setDeadlocks(3);
            metrics.setRecorded(2, false);
            metrics.setUpload(record::UploadState{.frames = 2, .pending = record::PendingUpload{}});
            metrics.addTo(set);
        }
        Sample incidents{{{"server", u"db1:5432"_s}}, 4};
        incidents.exemplar = Exemplar{{{"incident_id", u"17"_s}}, 1, {1'764'280'000'123'456}};
        set.add("lockscope_incidents", incidents);
        set.add("lockscope_build", {{{"version", u"1.0"_s}}, 1});
        for (const MetricFamily& family : set.families())
            QVERIFY2(family.unit.isEmpty() || family.name.endsWith('_' + family.unit), family.name);

        const QByteArray open = written(set.families(), Format::OpenMetrics);
        QCOMPARE(judgedAsOpenMetrics(open), QByteArray());
        QVERIFY(open.endsWith("\n# EOF\n"));
        QCOMPARE(lineOf(open, "lockscope_incidents_total"),
            "lockscope_incidents_total{server=\"db1:5432\"} 4 # {incident_id=\"17\"} 1 1764280000.123456"_qba);
        QCOMPARE(
            lineOf(open, "lockscope_wait_seconds_bucket{server=\"db1:5432\",database=\"shop\",le=\"60.0\"}"),
            "lockscope_wait_seconds_bucket{server=\"db1:5432\",database=\"shop\",le=\"60.0\"} 1"_qba);

        const QByteArray text = written(set.families(), Format::Text);
        QCOMPARE(judgedAsText(text), QByteArray());
        QVERIFY(!text.contains("EOF") && !text.contains("# {incident_id"));
        // The judges do refuse.
        QVERIFY(judgedAsOpenMetrics(text).startsWith("refused"));
        QVERIFY(judgedAsText("lockscope_up{server=\"a} 1\n").startsWith("refused"));
    }

    void rulesAndDashboardNameWhatThereIs()
    {
        const QString folder = test::sourcePath(u"resources/agent/"_s);
        QSet<QString> names;
        const FamilySet all;
        for (const MetricFamily& family : all.families())
            for (const char* end : {"", "_total", "_info", "_bucket"})
                names.insert(QString::fromLatin1(family.name + end));
        for (const auto& name : {u"prometheus-rules.yml"_s, u"grafana-dashboard.json"_s}) {
            static const QRegularExpression metric(u"\\blockscope_\\w+"_s);
            int count = 0;
            for (auto found = metric.globalMatch(QString::fromUtf8(readFile(folder + name))); found.hasNext();
                 ++count) {
                const QString used = found.next().captured();
                QVERIFY2(names.contains(used), qPrintable(used));
            }
            QVERIFY(count > 10);
        }
        QCOMPARE(judged(u"promtool"_s, {u"check"_s, u"rules"_s, folder + u"prometheus-rules.yml"_s}, {}),
            QByteArray());
    }

    void namesOfOthersStayInTheirPlace()
    {
        ServerMetrics metrics(u"db\"} 1\nevil_total{x=\"1"_s, u"a\\b\u202e\r\x01"_s);
        metrics.noteSnapshot(calm(0), 2s);
        const QByteArray text = textOf(metrics);
        QCOMPARE(judgedAsOpenMetrics(text), QByteArray());
        QCOMPARE(judgedAsText(textOf(metrics, Format::Text)), QByteArray());
        QVERIFY(lineOf(text, "evil").isEmpty());
        QVERIFY(!text.contains('\r') && !text.contains('\x01') && !text.contains(u"\u202e"_s.toUtf8()));
    }

    void waitedTimeIsWhatPollsSaw()
    {
        ServerMetrics metrics(u"db1"_s, u"shop"_s);
        const auto waited = [&metrics] {
            return lineOf(textOf(metrics), "lockscope_waited_seconds_total").split(' ').last().toDouble();
        };
        metrics.noteSnapshot(chain(0, 40), 2s);
        QCOMPARE(waited(), 0.0); // how it was before, nobody saw
        metrics.noteSnapshot(chain(2, 42), 2s);
        QCOMPARE(waited(), 2.0);
        metrics.noteSnapshot(calm(4), 2s);
        QCOMPARE(waited(), 2.0);
        metrics.noteSnapshot(chain(6, 1), 2s);
        QCOMPARE(waited(), 3.0); // it began between the two
        metrics.noteSnapshot(chain(600, 595), 2s);
        QCOMPARE(waited(), 8.0); // a gap: no more than the longest step
        metrics.noteSnapshot(chain(500, 495), 2s);
        QCOMPARE(waited(), 8.0); // the server's clock was set back
    }

    void ownWaitsAreCountedApart()
    {
        ServerMetrics metrics(u"db1"_s, u"shop"_s);
        for (const int second : {0, 2}) {
            SnapshotBuilder s(second);
            s.session(51, "billing").transaction(50);
            s.session(63, "lockscope").own();
            s.holds(51, "public.orders", "AccessExclusiveLock", 50);
            s.waits(63, "public.orders", "AccessShareLock", 10);
            metrics.noteSnapshot(s.take(), 2s);
        }
        const QByteArray text = textOf(metrics);
        QVERIFY2(lineOf(text, "lockscope_waited_seconds_total").endsWith(" 0"), text);
        QVERIFY2(lineOf(text, "lockscope_observer_wait_seconds_total").endsWith(" 2"), text);
    }

    void whatIsNotKnownHasNoSample()
    {
        ServerMetrics metrics(u"db1"_s, u"shop"_s);
        QVERIFY(lineOf(textOf(metrics), "lockscope_up").isEmpty());
        const auto start = ServerMetrics::Clock::now();
        metrics.noteSnapshot(chain(0, 40), 2s, start);
        QVERIFY(lineOf(textOf(metrics), "lockscope_up{").endsWith(" 1"));
        QVERIFY(lineOf(textOf(metrics), "lockscope_waiting_sessions{").endsWith(" 1"));
        QVERIFY(lineOf(textOf(metrics), "lockscope_lock_table_stale_entries{").endsWith(" 1"));
        QVERIFY(lineOf(textOf(metrics), "lockscope_deadlocks_total").isEmpty());

        metrics.noteFailures(1, false);
        metrics.noteFailures(2, false);
        const QByteArray failing = textOf(metrics, Format::OpenMetrics, start + 90s);
        QVERIFY(lineOf(failing, "lockscope_up{").endsWith(" 0"));
        QVERIFY(lineOf(failing, "lockscope_poll_failures_total").endsWith(" 2"));
        QVERIFY(lineOf(failing, "lockscope_snapshot_age_seconds{").endsWith(" 90"));
        // Silence is not calm.
        QVERIFY(lineOf(failing, "lockscope_waiting_sessions").isEmpty());
        QVERIFY(lineOf(failing, "lockscope_locks_held").isEmpty());

        metrics.noteSnapshot(calm(100), 2s);
        metrics.noteFailures(0, false);
        QVERIFY(lineOf(textOf(metrics), "lockscope_waiting_sessions{").endsWith(" 0"));
        QVERIFY(lineOf(textOf(metrics), "lockscope_poll_failures_total").endsWith(" 2"));
    }

    void aHistoryThatWasNotReachedYetHasNoFigures()
    {
        ServerMetrics metrics(u"db1:5432"_s, u"shop"_s);
        metrics.setUpload(record::UploadState{});
        QVERIFY(lineOf(textOf(metrics), "lockscope_history_failing").isEmpty());
        QVERIFY(lineOf(textOf(metrics), "lockscope_history_pending").isEmpty());
        metrics.setUpload(record::UploadState{.skipped = 7,
            .failures = 3,
            .pending = record::PendingUpload{40, ownClock() - std::chrono::seconds(90)},
            .error = Error{.kind = ErrorKind::Connection, .what = u"It is away."_s},
            .isAway = true});
        const QByteArray text = textOf(metrics);
        QVERIFY2(lineOf(text, "lockscope_history_failing{").endsWith(" 1"), text);
        QVERIFY2(lineOf(text, "lockscope_history_failures_total").endsWith(" 3"), text);
        QVERIFY2(lineOf(text, "lockscope_history_lost_snapshots_total").endsWith(" 7"), text);
        QVERIFY2(lineOf(text, "lockscope_history_pending_snapshots").endsWith(" 40"), text);
        const double age = lineOf(text, "lockscope_history_pending_age_seconds").split(' ').last().toDouble();
        QVERIFY(age >= 90 && age < 180);
        metrics.setUpload(std::nullopt);
        QVERIFY(lineOf(textOf(metrics), "lockscope_history").isEmpty());
    }

    void incidentsAreCountedFromTheStore()
    {
        const auto store = orDie(watch::IncidentStore::open(freshPath(u"incidents.db"_s)));
        alert::Incident incident = madeIncident();
        QVERIFY(store->fire(incident, {}, u"before"_s));
        const auto before = orDie(store->newest());
        incident.cause.resource = u"another"_s;
        incident.severity = alert::Severity::Critical;
        const auto fired = orDie(store->fire(incident, {}, u"after"_s));
        const auto counts = orDie(store->counts(before));
        QCOMPARE(counts.size(), 1);
        QCOMPARE(counts.front().server, incident.cause.server);
        QCOMPARE(counts.front().added, 1);
        QCOMPARE(counts.front().newest, fired.id);
        QCOMPARE(counts.front().critical + counts.front().warning, 2);
        QCOMPARE(store->counts(fired.id)->front().added, 0);
    }

    void readersGetTheFormTheyAskFor()
    {
        const auto server = MetricsServer::start({.port = 0},
            [](Format format) { return format == Format::OpenMetrics ? "open"_qba : "text"_qba; });
        QVERIFY(server);
        const HttpGot open = httpGet((*server)->url(),
            "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"_qba);
        QCOMPARE(open.status, 200);
        QCOMPARE(open.body, "open"_qba);
        QCOMPARE(open.type, "application/openmetrics-text; version=1.0.0; charset=utf-8"_qba);
        const HttpGot text = httpGet((*server)->url(), "*/*"_qba);
        QCOMPARE(text.body, "text"_qba);
        const std::array forms{std::pair("application/openmetrics-text; Q=0, text/plain", Format::Text),
            std::pair("application/openmetrics-text;q=0.000", Format::Text),
            std::pair("application/openmetrics-text;q=0.3,text/plain;q=0.9", Format::Text),
            std::pair(
                "text/plain;q=0.3, Application/OpenMetrics-Text;version=1.0.0;q=0.5", Format::OpenMetrics),
            std::pair("application/openmetrics-text;q=0,application/openmetrics-text;version=1.0.0;q=1",
                Format::OpenMetrics),
            std::pair("application/openmetrics-textile", Format::Text), std::pair("", Format::Text)};
        for (const auto& [accept, format] : forms)
            QVERIFY2(formatFor(accept) == format, accept);
        QCOMPARE(text.type, "text/plain; version=0.0.4; charset=utf-8"_qba);
    }

    void nothingElseIsAnswered()
    {
        const auto server = serving({});
        const QString root = server->url().chopped(7);
        for (const auto& path :
            {u"/"_s, u"/metrics/"_s, u"/metrics/../etc/passwd"_s, u"/%2e%2e/etc/passwd"_s})
            QCOMPARE(httpGet(root + path).status, 404);
        QCOMPARE(httpGet(server->url(), {}, {}, "POST"_qba).status, 405);
        QCOMPARE(httpGet(server->url(), {}, {}, "DELETE"_qba).status, 405);
        const HttpGot head = httpGet(server->url(), {}, {}, "HEAD"_qba);
        QCOMPARE(head.status, 200);
        QVERIFY(head.body.isEmpty());
    }

    void aPasswordIsNeeded()
    {
        const auto server = serving({.user = u"scraper"_s,
            .password = u"file:"_s + test::makeFile(freshPath(u"password"_s), "s3:cret\n", test::onlyOwn)});
        QCOMPARE(httpGet(server->url()).status, 401);
        for (const char* wrong :
            {"scraper:", "scraper:s3:cre", "scraper:s3:crett", "other:s3:cret", ":", ":s3:cret"})
            QCOMPARE(httpGet(server->url(), {}, wrong).status, 401);
        QCOMPARE(httpGet(server->url(), {}, "scraper:s3:cret").body, "text\n"_qba);
        // Nobody learns without a password what there is.
        QCOMPARE(httpGet(server->url().chopped(7) + u"/none"_s).status, 401);
    }

    void tlsIsSpoken()
    {
        const QTemporaryDir folder;
        const tds::TlsIdentity identity("127.0.0.1"_qba);
        const auto server = serving(
            {.certificate = test::makeFile(folder.filePath(u"crt"_s), identity.certificate(), test::onlyOwn),
                .key = test::makeFile(folder.filePath(u"key"_s), identity.key(), test::onlyOwn)});
        QVERIFY(server->url().startsWith(u"https://"_s));
        QCOMPARE(httpGet(server->url()).body, "text\n"_qba);
        QCOMPARE(httpGet(QString(server->url()).replace(u"https"_s, u"http"_s)).status, 0);

        const auto broken = MetricsServer::start(
            {.port = 0,
                .certificate = test::makeFile(folder.filePath(u"bad"_s), "no certificate", test::onlyOwn),
                .key = folder.filePath(u"key"_s)},
            [](Format) { return QByteArray(); });
        QVERIFY(!broken);
        // A file that is empty for a short time must not make it HTTP.
        const auto empty = MetricsServer::start(
            {.port = 0,
                .certificate = test::makeFile(folder.filePath(u"empty"_s), {}, test::onlyOwn),
                .key = folder.filePath(u"key"_s)},
            [](Format) { return QByteArray(); });
        QVERIFY(!empty);
    }

    void nobodyElseListensWithoutPasswordAndTls()
    {
        const ListenSettings open{.address = u"0.0.0.0"_s};
        QCOMPARE(checkListening(open).error().kind, ErrorKind::BadInput);
        ListenSettings guarded = open;
        guarded.certificate = guarded.key = u"file"_s;
        QVERIFY(!checkListening(guarded));
        guarded.user = u"scraper"_s;
        QVERIFY(!checkListening(guarded));
        guarded.password = u"env:PASSWORD"_s;
        QVERIFY(checkListening(guarded));
        guarded.password = u"in clear"_s;
        QVERIFY(!checkListening(guarded));
        QVERIFY(checkListening({}));
        QVERIFY(!checkListening({.user = u"a:b"_s, .password = u"env:PASSWORD"_s}));
        QVERIFY(checkListening({.address = u"::1"_s}));
        QVERIFY(!checkListening({.address = u"localhost.example"_s}));
        QVERIFY(!checkListening({.address = u"::ffff:10.0.0.1"_s}));
    }

    void slowReadersDelayNobody()
    {
        const auto server = serving({});
        const QUrl url(server->url());
        std::vector<std::unique_ptr<QTcpSocket>> slow;
        for (int i = 0; i < 80; ++i) { // more than there are places
            slow.push_back(std::make_unique<QTcpSocket>());
            slow.back()->connectToHost(url.host(), quint16(url.port()));
            QVERIFY(slow.back()->waitForConnected());
            slow.back()->write("GET /met"); // and no more
            slow.back()->flush();
        }
        for (int i = 0; i < 5; ++i)
            QCOMPARE(httpGet(server->url()).status, 200);
        const auto isCutOff = [](const auto& each) {
            return each->state() == QAbstractSocket::UnconnectedState;
        };
        QVERIFY(waitUntil([&] { return isCutOff(slow.front()); })); // the oldest first
        QVERIFY(!isCutOff(slow.back()));
    }

    /// All places are taken by readers that read nothing. A new reader is always quicker than these.
    void whoReadsNothingMakesPlaceForAScraper()
    {
        const QByteArray text(64 << 20, 'a'); // more than lies in sockets on the way
        const auto server = MetricsServer::start({.port = 0}, [&](Format) { return text; });
        QVERIFY(server);
        const QUrl url((*server)->url());
        const QByteArray request = "GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n";
        std::vector<std::unique_ptr<QTcpSocket>> stuck;
        const auto addOne = [&] {
            stuck.push_back(std::make_unique<QTcpSocket>());
            QTcpSocket& socket = *stuck.back();
            socket.setReadBufferSize(1);
            // One address may have fewer connections.
            if (!socket.bind(QHostAddress(u"127.0.0.%1"_s.arg(2 + stuck.size() % 3))))
                return false;
            socket.connectToHost(url.host(), quint16(url.port()));
            return socket.waitForConnected() && socket.write(request) > 0
                && waitUntil([&socket] { return socket.bytesAvailable() > 0; });
        };
        for (int i = 0; i < 48; ++i)
            QVERIFY(addOne());
        QTcpSocket scraper;
        scraper.connectToHost(url.host(), quint16(url.port()));
        QVERIFY(scraper.waitForConnected());
        QVERIFY(addOne() && addOne());
        scraper.write(request);
        qsizetype size = 0;
        QVERIFY(waitUntil([&] {
            size += scraper.readAll().size();
            return scraper.state() == QAbstractSocket::UnconnectedState;
        }));
        QVERIFY2(size + scraper.readAll().size() > text.size(), QByteArray::number(size));
    }

    void othersPushOutNobodyWhoIsAnswered()
    {
        const QByteArray text(64 << 20, 'a'); // more than lies in sockets on the way
        const auto server = MetricsServer::start({.port = 0}, [&](Format) { return text; });
        QVERIFY(server);
        const QUrl url((*server)->url());
        QTcpSocket reader;
        reader.setReadBufferSize(1'024);
        reader.connectToHost(url.host(), quint16(url.port()));
        QVERIFY(reader.waitForConnected());
        reader.write("GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n");
        QVERIFY(waitUntil([&] { return reader.bytesAvailable() == 1'024; }));
        reader.setReadBufferSize(4 << 20);
        qsizetype size = 0;
        std::vector<std::unique_ptr<QTcpSocket>> others;
        for (int i = 0; i < 80; ++i) { // more than there are places
            others.push_back(std::make_unique<QTcpSocket>());
            others.back()->connectToHost(url.host(), quint16(url.port()));
            QVERIFY(others.back()->waitForConnected());
            if (i % 8 == 0) // it is slow, but reads
                QVERIFY(waitUntil(
                    [&, until = size + (4 << 20)] { return (size += reader.readAll().size()) >= until; }));
        }
        const auto isCutOff = [](const auto& each) {
            return each->state() == QAbstractSocket::UnconnectedState;
        };
        QVERIFY(waitUntil([&] { return isCutOff(others.front()); }));
        reader.setReadBufferSize(0);
        QVERIFY(waitUntil([&] {
            size += reader.readAll().size();
            return reader.state() == QAbstractSocket::UnconnectedState;
        }));
        QVERIFY2(size + reader.readAll().size() > text.size(), QByteArray::number(size));
    }

    void aKeyThatOthersReadIsRefused()
    {
        const QTemporaryDir folder;
        const tds::TlsIdentity identity("127.0.0.1"_qba);
        const ListenSettings settings{.port = 0,
            .certificate = test::makeFile(folder.filePath(u"crt"_s), identity.certificate(), test::onlyOwn),
            .key = test::makeFile(folder.filePath(u"key"_s), identity.key(), test::onlyOwn)};
        for (const auto others : {QFileDevice::ReadGroup, QFileDevice::ReadOther}) {
            if (::geteuid() == 0 && others == QFileDevice::ReadGroup)
                continue; // of root's files it may
            QFile::setPermissions(settings.key, onlyOwn | others);
            const auto server = MetricsServer::start(settings, [](Format) { return QByteArray(); });
            QVERIFY(!server);
            VERIFY_CONTAINS(server.error().what, u"others may read it"_s);
        }
        QFile::setPermissions(settings.key, onlyOwn);
        QVERIFY(MetricsServer::start(settings, [](Format) { return QByteArray(); }));
    }

    /// A scrape returns the earlier figures, and the later ones once the store is free.
    void aLockedStoreDelaysNobody()
    {
        const QString path = freshPath(u"incidents.db"_s);
        const auto store = orDie(watch::IncidentStore::open(path));
        CountedIncidents counted(path);
        alert::Incident incident = madeIncident();
        QVERIFY(store->fire(incident, {}, u"first"_s));
        const auto added = [&] {
            const auto counts = counted.counts();
            return counts && counts->contains(incident.cause.server) ? counts->at(incident.cause.server).added
                                                                     : 0;
        };
        QVERIFY(waitUntil([&] { return added() == 1; }));
        {
            const auto other = record::Database::open(path, record::Database::Mode::Write);
            QVERIFY(other && (*other)->script("BEGIN EXCLUSIVE"));
            QElapsedTimer clock;
            clock.start();
            QCOMPARE(added(), 1);
            QVERIFY2(clock.elapsed() < 3'000, QByteArray::number(clock.elapsed()));
            QVERIFY((*other)->script("ROLLBACK"));
        }
        incident.cause.resource = u"another"_s;
        QVERIFY(store->fire(incident, {}, u"second"_s));
        QVERIFY(waitUntil([&] { return added() == 2; }));
    }

    void aPortThatIsTakenIsNamed()
    {
        const HttpServer other;
        const auto server = MetricsServer::start({.port = other.port()}, [](Format) { return QByteArray(); });
        QVERIFY(!server);
        VERIFY_CONTAINS(server.error().what, QString::number(other.port()));
    }

    /// The next one takes the port at once, also right after a reader.
    void twoDoNotListenAtOnePort()
    {
        auto first = serving({});
        QCOMPARE(httpGet(first->url()).status, 200);
        const auto port = quint16(QUrl(first->url()).port());
        const auto second = MetricsServer::start({.port = port}, [](Format) { return QByteArray(); });
        QVERIFY(!second);
        VERIFY_CONTAINS(second.error().what, u"is in use by another program"_s);
        first.reset();
        QVERIFY(MetricsServer::start({.port = port}, [](Format) { return QByteArray(); }));
    }
};

LOCKSCOPE_TEST(tst_Metrics)

} // namespace tst_Metrics
#include "tst_Metrics.moc"
