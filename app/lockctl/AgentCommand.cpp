// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Alerts.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/RecordedServer.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/ServerOption.h"
#include "app/lockctl/SignalWatch.h"
#include "core/agent/AgentFile.h"
#include "core/alert/channels/Channel.h"
#include "core/base/PlainFile.h"
#include "core/base/PostToThread.h"
#include "core/base/Sentences.h"
#include "core/metrics/MetricsWatch.h"
#include "core/record/Database.h"
#include "core/record/Recording.h"
#include "core/record/postgres/HistorySchema.h"
#include "core/watch/IncidentWatch.h"

#include <QEventLoop>
#include <QTimer>

#include <csignal>
#include <map>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

using agent::AgentPlace;
using agent::AgentServer;
using agent::AgentSettings;

namespace {

constexpr milliseconds maxSpread{10'000}; // of the first polls
constexpr milliseconds maxSending{3'000}; // of notices, at the end; then they wait for the next start

Result<db::Server> placeNamed(const AgentPlace& place, const CommandLine& line)
{
    auto server = serverNamed(place.server, line);
    if (server && !place.password.isEmpty())
        server->passwords = [reference = place.password](
                                const QString&) { return alert::readSecret(reference); };
    return server;
}

/// Connects to nothing.
Result<db::Server> historyNamed(const AgentPlace& place, const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto address, serverAddress(line, place.server));
    LOCKSCOPE_TRY(record::checkKeepsHistory(address.engine));
    LOCKSCOPE_TRY(checkMayWriteHistory(line));
    return placeNamed(place, line);
}

Result<AgentSettings> settingsIn(const Result<QByteArray>& text, const QString& path, const CommandLine& line,
    const agent::CheckOfHistory& checkHistory)
{
    if (!text)
        return Failure(text.error());
    auto settings = agent::checkAgentFile(
        path, *text,
        [&line](const QString& server) { return serverAddress(line, server).transform(record::serverPlace); },
        checkHistory);
    if (settings)
        return std::move(*settings);
    return complainOf(path, settings.error());
}

/// Holds all servers of the file, ready to be watched, by the recording that each has.
using Ready = std::map<QString, std::pair<AgentServer, db::Server>>;

Result<Ready> readyServers(const AgentSettings& settings, const CommandLine& line)
{
    Ready ready;
    for (const AgentServer& configured : settings.servers) {
        auto server = placeNamed(configured, line);
        // It is read at each connection: what is wrong with it keeps the others from nothing.
        if (const auto password =
                configured.password.isEmpty() ? QString() : alert::readSecret(configured.password);
            !password)
            complain(errorText(password.error()));
        if (!server)
            return Failure(server.error());
        ready.emplace(record::recordingPath(server->profile.url), std::pair(configured, *server));
    }
    return ready;
}

/// The histories of the file, each with its connections.
using Histories = std::map<AgentPlace, std::shared_ptr<record::HistoryConnections>>;

/// Those that were there before go on, and are tried at once if they could not be reached.
Result<Histories> historiesOf(const AgentSettings& settings, const Histories& before, const CommandLine& line)
{
    Histories histories;
    for (const AgentServer& configured : settings.servers) {
        if (!configured.history || histories.contains(*configured.history))
            continue;
        LOCKSCOPE_TRY_GET(const auto server, historyNamed(*configured.history, line));
        const auto known = before.find(*configured.history);
        const bool goesOn = known != before.end() && known->second->server().profile == server.profile;
        histories.emplace(*configured.history,
            goesOn ? known->second : std::make_shared<record::HistoryConnections>(server));
    }
    return histories;
}

watch::WatchOptions optionsOf(const AgentServer& configured, const QString& path)
{
    return {.interval = configured.interval,
        .budget = configured.budget / 100.0,
        .recording = watch::RecordOptions{.path = path,
            .program = u"lockctl"_s,
            .settings = {.retention = configured.keep},
            .redacts = configured.redacts},
        .history = {}}; // nobody looks at it: there is the recording
}

/// Watches the servers of a file, records them, finds their incidents and gives metrics. Of the main thread.
class Agent {
public:
    Agent(const CommandLine& line, QString path)
        : m_line(line)
        , m_path(std::move(path))
    {
    }

    /// Takes the settings of the file. A server goes on without a gap unless it is to be asked in another
    /// way; where something is wrong, all goes on as it was. Waits for no server.
    Result<void> load();
    int run(Supervision& supervision, const StopOnSignal& stop);

private:
    struct Watched {
        AgentServer settings;
        db::ServerProfile profile;
        std::unique_ptr<watch::ServerWatch> watch;
        RecordedServer printer;
    };
    Result<void> listen(const std::optional<metrics::ListenSettings>& requested);
    void setIncidents(bool areConfigured);
    bool goesOn(const QString& path, const Watched& watched) const;
    static void adapt(Watched& watched, const AgentServer& configured);
    void endOthers();
    void begin(const QString& path, milliseconds after);
    void beginOthers();
    void bringToHistories();
    void tend();
    QList<RecordState> report();

    const CommandLine& m_line;
    const QString m_path;
    const std::shared_ptr<monitor::PollPlaces> m_places = std::make_shared<monitor::PollPlaces>(2);
    std::unique_ptr<watch::IncidentWatch> m_incidents;
    metrics::MetricsWatch m_metrics;
    std::optional<metrics::ListenSettings> m_listening;
    std::unique_ptr<metrics::MetricsServer> m_server;
    Ready m_configured;
    Histories m_histories;
    Uploads m_uploads;
    std::map<QString, Watched> m_watched; ///< by the recording's path
    std::multimap<QString, std::unique_ptr<watch::ServerWatch>> m_ending; ///< the same
};

Result<void> Agent::load()
{
    const auto check = [this](const AgentPlace& history) -> Result<void> {
        return ifDone(historyNamed(history, m_line));
    };
    LOCKSCOPE_TRY_GET(const auto settings, settingsIn(readTrustedFile(m_path), m_path, m_line, check));
    LOCKSCOPE_TRY_GET(auto ready, readyServers(settings, m_line));
    LOCKSCOPE_TRY_GET(auto histories, historiesOf(settings, m_histories, m_line));
    LOCKSCOPE_TRY(listen(settings.metrics));
    m_places->setCount(settings.atOnce);
    setIncidents(settings.alerts);
    m_configured = std::move(ready);
    m_histories = std::move(histories);
    for (const auto& [place, connections] : m_histories)
        connections->retry();
    endOthers();
    for (auto& [path, watched] : m_watched)
        adapt(watched, m_configured.at(path).first);
    beginOthers();
    bringToHistories();
    return {};
}

/// By their files, so that nothing here depends on whether a server is watched at present.
void Agent::bringToHistories()
{
    for (const auto& [path, ready] : m_configured) {
        const auto& history = ready.first.history;
        m_uploads.bring(path, history ? m_histories.at(*history) : nullptr);
    }
}

/// Takes the settings that count at once and end nothing.
void Agent::adapt(Watched& watched, const AgentServer& configured)
{
    monitor::ServerMonitor& monitor = watched.watch->monitor();
    if (watched.settings.interval != configured.interval)
        monitor.setInterval(configured.interval);
    if (watched.settings.budget != configured.budget)
        monitor.setBudget(configured.budget / 100.0);
    if (watched.settings.keep != configured.keep) {
        record::Recorder& recorder = *watched.watch->recorder();
        record::RecorderSettings settings = recorder.state().settings;
        settings.retention = configured.keep;
        recorder.setSettings(settings);
    }
    watched.settings = configured;
}

/// Tries the certificate, the key and the password at a port of its own, where nothing is given.
Result<void> tryListening(metrics::ListenSettings settings)
{
    settings.address = u"127.0.0.1"_s;
    settings.port = 0;
    const auto server = metrics::MetricsServer::start(settings, [](metrics::Format) { return QByteArray(); });
    if (server)
        return {};
    if (server.error().kind != ErrorKind::Connection)
        return Failure(server.error());
    return failure(ErrorKind::BadInput,
        u"The certificate %1 and its key are not valid, or not of each other."_s.arg(settings.certificate));
}

Result<void> Agent::listen(const std::optional<metrics::ListenSettings>& settings)
{
    // What its files hold may be another certificate or password by now.
    const bool hasFiles = settings && settings->hasFiles();
    if (settings == m_listening && !hasFiles)
        return {};
    // What is wrong with the files must not end what works.
    if (hasFiles)
        LOCKSCOPE_TRY(tryListening(*settings));
    m_server.reset(); // before its port is used again
    const auto before = std::exchange(m_listening, std::nullopt);
    if (!settings)
        return {};
    auto server = metrics::MetricsServer::start(*settings, m_metrics.source());
    if (!server) {
        if (before)
            static_cast<void>(listen(before));
        return Failure(server.error());
    }
    m_server = std::move(*server);
    m_listening = settings;
    sayLine(u"Metrics are given at %1"_s.arg(m_server->url()));
    return {};
}

void Agent::setIncidents(bool areConfigured)
{
    if (areConfigured == bool(m_incidents))
        return;
    m_incidents = areConfigured ? std::make_unique<watch::IncidentWatch>() : nullptr;
    m_metrics.countIncidents(areConfigured ? std::optional(QString()) : std::nullopt);
    if (!m_incidents)
        return;
    printAlerts(*m_incidents);
    for (const auto& [path, watched] : m_watched)
        m_incidents->add(watched.watch.get());
}

void Agent::begin(const QString& path, milliseconds after)
{
    const auto& [settings, server] = m_configured.at(path);
    watch::WatchOptions options = optionsOf(settings, path);
    options.places = m_places;
    auto watch = std::make_unique<watch::ServerWatch>(server, options);
    m_metrics.add(watch.get());
    if (m_incidents)
        m_incidents->add(watch.get());
    sayLine(u"Watching %1, recorded into %2"_s.arg(server.display(), path));
    QTimer::singleShot(after, watch.get(), &watch::ServerWatch::start);
    RecordedServer printer(*watch);
    m_watched.emplace(path,
        Watched{
            .settings = settings, .profile = server.profile, .watch = std::move(watch), .printer = printer});
}

/// One whose file is still written by its predecessor waits for that.
void Agent::beginOthers()
{
    QStringList others;
    for (const auto& [path, configured] : m_configured)
        if (!m_watched.contains(path) && !m_ending.contains(path))
            others << path;
    for (qsizetype i = 0; i < others.size(); ++i) {
        // Not all at the same time, nor after a pause that is as long as that of a rare poll.
        const milliseconds spread = std::min(m_configured.at(others[i]).first.interval, maxSpread);
        begin(others[i], spread * i / others.size());
    }
}

bool Agent::goesOn(const QString& path, const Watched& watched) const
{
    const auto requested = m_configured.find(path);
    if (requested == m_configured.end())
        return false;
    const auto& [server, address] = requested->second;
    // A server that refused the login may have another password by now.
    return server.password == watched.settings.password && server.redacts == watched.settings.redacts
        && address.profile == watched.profile && !watched.printer.state().needsPerson;
}

/// Ends also those that are to be asked in another way. A server that hangs holds up nothing here.
void Agent::endOthers()
{
    for (auto each = m_watched.begin(); each != m_watched.end();) {
        auto& [path, watched] = *each;
        if (goesOn(path, watched)) {
            ++each;
            continue;
        }
        sayLine(u"No longer watching %1"_s.arg(watched.profile.display()));
        if (m_incidents && !m_configured.contains(path))
            m_incidents->end(watched.watch.get(), u"The agent does not watch this server any more."_s);
        metrics::MetricsWatch::remove(*watched.watch);
        watched.watch->end();
        m_ending.emplace(path, std::move(watched.watch));
        each = m_watched.erase(each);
    }
}

/// Removes those that have ended, and begins with what waits for that.
void Agent::tend()
{
    m_uploads.endThoseThatLeave();
    const auto ended = std::erase_if(
        m_ending, [](const auto& ending) { return ending.second->waitForEnd(milliseconds(0)); });
    if (ended == 0)
        return;
    beginOthers();
    m_uploads.leaveOthers(
        [this](const QString& path) { return m_configured.contains(path) || m_ending.contains(path); });
}

QList<RecordState> Agent::report()
{
    QList<RecordState> states;
    for (auto& [path, watched] : m_watched) {
        states << watched.printer.state();
        watched.printer.reportChanges(states.back());
        m_metrics.noteUpload(*watched.watch, m_uploads.state(path));
    }
    m_uploads.printChanges();
    return states;
}

int Agent::run(Supervision& supervision, const StopOnSignal& stop)
{
    QEventLoop loop;
    QTimer tick;
    QObject::connect(&tick, &QTimer::timeout, &loop, [&] {
        if (stop.token().stop_requested())
            return loop.quit();
        tend();
        supervision.note(report());
    });
    tick.start(supervision.tick());
    loop.exec();
    supervision.notifier().stopping();
    m_server.reset();
    if (m_incidents)
        m_incidents->waitUntilSent(maxSending);
    std::vector<std::unique_ptr<watch::ServerWatch>> all;
    for (auto& [path, watched] : m_watched)
        all.push_back(std::move(watched.watch));
    for (auto& [path, watch] : m_ending)
        all.push_back(std::move(watch));
    watch::ServerWatch::finish(all);
    m_uploads.finish();
    return supervision.exitCode(stop.signal(), exitOk);
}

/// Asks the histories, too: once each.
Result<ExitStatus> checkFile(const CommandLine& line)
{
    std::map<AgentPlace, Result<void>> asked;
    const auto ask = [&line](const AgentPlace& history) -> Result<void> {
        LOCKSCOPE_TRY_GET(const auto server, historyNamed(history, line));
        LOCKSCOPE_TRY_GET(const auto standing, record::historyStanding(server));
        for (const QString& remark : standing.remarks())
            complain(u"%1: %2"_s.arg(server.display(), remark));
        return {};
    };
    const QString path = line.positional(0);
    const auto settings = settingsIn(readTextFile(path), path, line, [&](const AgentPlace& history) {
        const auto known = asked.find(history);
        return known != asked.end() ? known->second : asked.emplace(history, ask(history)).first->second;
    });
    if (!settings)
        return Failure(settings.error());
    const bool hasFiles = settings->metrics && settings->metrics->hasFiles();
    const auto tried = hasFiles ? tryListening(*settings->metrics) : Result<void>();
    // A service has files that this account need not see.
    if (!tried && tried.error().kind == ErrorKind::Permission)
        complain(errorText(tried.error()));
    else if (!tried)
        return Failure(tried.error());
    const auto servers = qint64(settings->servers.size());
    const auto histories = qint64(asked.size());
    QString text = counted(servers, u"server");
    if (histories > 0)
        text += u", "_s + counted(histories, u"history", u"histories");
    return answer(
        line, u"%1: no faults."_s.arg(text), {{u"servers"_s, servers}, {u"histories"_s, histories}});
}

Result<ExitStatus> runAgent(const CommandLine& line)
{
    if (line.has(u"check"_s))
        return checkFile(line);
    record::prepareForManyServers();
    // One that comes now is kept until somebody listens, and does not end us.
    sigset_t hangUp;
    sigemptyset(&hangUp);
    sigaddset(&hangUp, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &hangUp, nullptr);
    Supervision supervision; // before anything else is started: what it reads is for us alone
    speakOf({}); // each error names its own server
    Agent agent(line, line.positional(0));
    QObject here;
    const StopOnSignal stop(inOrder, {}, {}, [&] {
        postTo(&here, [&] {
            if (const auto loaded = agent.load(); !loaded)
                complain(u"The settings stay as they were: "_s + errorText(loaded.error()));
            else
                sayLine(u"%1 was read again."_s.arg(line.positional(0)));
        });
    });
    if (const auto loaded = agent.load(); !loaded)
        return stop.endBy(loaded.error());
    return agent.run(supervision, stop);
}

} // namespace

Command agentCommand()
{
    Command command(u"agent"_s, u"watch many servers as a service: record, alerts, metrics"_s, runAgent,
        u"Watches the servers of a file until it is stopped: records each into its file in the account's folder and, where the file names one, into a team's history, finds incidents by the account's rules and sends their notices, and gives metrics to Prometheus and its like. On SIGHUP it reads the file again: servers whose settings are as they were go on without a gap, and a file with a fault changes nothing. The form of the file is in the manual and in agent.schema.json. The file must not be writable by other accounts."_s);
    command.arguments = u"FILE"_s;
    command.examples = {u"lockctl agent /etc/lockscope/agent.json"_s, u"lockctl agent --check agent.json"_s};
    command.addFlag(
        u"check"_s, u"Only check the file, and the histories that it names: each fault with its line."_s);
    return command;
}

} // namespace lockscope::ctl
