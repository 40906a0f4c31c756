// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Acts.h"
#include "app/lockctl/Alerts.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/ServerOption.h"
#include "app/lockctl/SignalWatch.h"
#include "app/lockctl/WatchScreen.h"
#include "core/admin/ServerAdminClient.h"
#include "core/base/PostToThread.h"
#include "core/base/Sentences.h"
#include "core/domain/SnapshotComparison.h"
#include "core/domain/SnapshotJson.h"
#include "core/report/Report.h"
#include "core/watch/IncidentWatch.h"
#include "core/watch/ServerWatch.h"

#include <QEventLoop>

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <poll.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

/// Reads keys on a thread of its own, so that they are answered while a poll is under way too. In the
/// background none are read: the system would stop the process for it.
class WatchKeys {
public:
    /// Both are called on that thread. `onRedraw`: the terminal has another size, or the process was
    /// continued.
    WatchKeys(const TerminalMode& terminal, std::function<void(Key)> onKey, std::function<void()> onRedraw);
    ~WatchKeys();
    Q_DISABLE_COPY_MOVE(WatchKeys)

private:
    void work(int redrawDescriptor, bool hasKeys);
    bool readKeys(); ///< false: the terminal is gone

    const std::function<void(Key)> m_onKey;
    const std::function<void()> m_onRedraw;
    TerminalKeyReader m_reader; // of the thread
    int m_endPipe[2] = {-1, -1};
    std::jthread m_thread;
};

constexpr int escapeAfter = 50; // ms: a sequence comes whole, the Escape key alone
constexpr int askForegroundEvery = 500; // ms

bool isReadable(const pollfd& polled)
{
    return (polled.revents & (POLLIN | POLLHUP | POLLERR)) != 0;
}

void drain(int descriptor)
{
    std::array<char, 64> bytes{};
    while (::read(descriptor, bytes.data(), bytes.size()) > 0) { }
}

WatchKeys::WatchKeys(
    const TerminalMode& terminal, std::function<void(Key)> onKey, std::function<void()> onRedraw)
    : m_onKey(std::move(onKey))
    , m_onRedraw(std::move(onRedraw))
{
    if (terminal.redrawDescriptor() < 0 || pipe(m_endPipe) != 0)
        return;
    for (const int end : m_endPipe)
        fcntl(end, F_SETFD, FD_CLOEXEC);
    m_thread = std::jthread([this, redraw = terminal.redrawDescriptor(), hasKeys = terminal.hasKeys()] {
        work(redraw, hasKeys);
    });
}

WatchKeys::~WatchKeys()
{
    if (!m_thread.joinable())
        return;
    const char byte = 'e';
    [[maybe_unused]] const ssize_t written = ::write(m_endPipe[1], &byte, 1);
    m_thread.join();
    for (const int end : m_endPipe)
        close(end);
}

void WatchKeys::work(int redrawDescriptor, bool hasKeys)
{
    for (bool isThere = hasKeys;;) {
        const bool mayRead = isThere && tcgetpgrp(STDIN_FILENO) == getpgrp();
        std::array<pollfd, 3> polled{pollfd{m_endPipe[0], POLLIN, 0}, pollfd{redrawDescriptor, POLLIN, 0},
            pollfd{mayRead ? STDIN_FILENO : -1, POLLIN, 0}};
        const int patience = m_reader.isWithin() ? escapeAfter
            : isThere && !mayRead                ? askForegroundEvery
                                                 : -1;
        const int ready = poll(polled.data(), polled.size(), patience);
        if (ready < 0 && errno != EINTR)
            return;
        if (ready > 0 && isReadable(polled[0]))
            return;
        if (ready > 0 && isReadable(polled[1])) {
            drain(redrawDescriptor);
            m_onRedraw();
        }
        if (ready > 0 && isReadable(polled[2])) {
            isThere = readKeys();
        } else if (ready == 0 && m_reader.isWithin()) {
            for (const Key& key : m_reader.keysAtRest())
                m_onKey(key);
        }
    }
}

bool WatchKeys::readKeys()
{
    std::array<char, 256> bytes{};
    const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count < 0)
        return errno == EINTR || errno == EAGAIN;
    for (const Key& key : m_reader.keysOf(QByteArray(bytes.data(), count)))
        m_onKey(key);
    return count > 0;
}

QString changeText(const LockChange& change)
{
    QString text = u"%1 %2 "_s.arg(describe(change.who), changeName(change.kind));
    text += change.mode ? u"%1 on %2"_s.arg(change.mode->name(), change.resource)
                        : u"'%1' of %2"_s.arg(change.resource, change.table);
    const QStringList blockers =
        textOfEach(change.blockers, [](SessionId blocker) { return QString::number(blocker.value); });
    if (!blockers.isEmpty())
        text += u" behind "_s + blockers.join(u", "_s);
    if (change.waited)
        text += (change.kind == LockChange::Kind::Waits ? u", since "_s : u" after "_s)
            + change.waited->toString();
    return change.sessionEnded ? text + u": its session has ended"_s : text;
}

QJsonObject changeJson(const LockChange& change)
{
    QJsonObject json{{u"change"_s, changeName(change.kind)}, {u"owner"_s, change.who.owner},
        {u"host"_s, change.who.host}, {u"program"_s, change.who.program},
        {u"process_id"_s, change.who.processId}, {u"session"_s, change.who.session.value},
        {u"table"_s, change.table}, {u"resource"_s, change.resource},
        {u"mode"_s, change.mode ? change.mode->name() : QString()},
        {u"blocked_by"_s, jsonOfEach(change.blockers, &SessionId::value)},
        {u"session_ended"_s, change.sessionEnded}};
    if (change.waited)
        json[u"waited_ms"_s] = qint64(change.waited->value.count());
    return json;
}

void showChanges(const SnapshotPtr& before, const Snapshot& after, bool json)
{
    for (const LockChange& change : changesBetween(before ? *before : Snapshot(), after)) {
        if (json) {
            QJsonObject shownJson = changeJson(change);
            shownJson[u"at"_s] = after.takenAt.toIsoString();
            printJson(shownJson);
        } else {
            print(u"%1  %2\n"_s.arg(report::timeText(after.takenAt), printable(changeText(change))));
        }
    }
}

/// Shows what polls bring. Of the main thread.
class Shower {
public:
    struct Options {
        bool changes = false;
        bool json = false;
        qint64 count = 0; ///< of polls; 0: no end
        bool isWatched = false; ///< by a person, who can end it
        std::optional<admin::LocalAudit> localAudit{}; ///< for acts on a database without an audit table
    };
    Shower(const db::Server& server, watch::ServerWatch& watch, WatchScreen& screen, const Options& options)
        : m_server(server)
        , m_watch(watch)
        , m_screen(screen)
        , m_options(options)
    {
        QObject::connect(&watch, &watch::ServerWatch::snapshotChanged, &m_loop, [this] { showSnapshot(); });
        QObject::connect(&watch, &watch::ServerWatch::healthChanged, &m_loop, [this] { showFailure(); });
    }
    /// Runs until quit(), or for as many polls as requested.
    int run()
    {
        m_watch.start();
        m_loop.exec();
        return m_failed ? exitFailed : exitOk;
    }
    void quit()
    {
        postTo(&m_loop, [this] { m_loop.quit(); });
    } ///< any thread
    bool hasShown() const { return m_shown > 0; } ///< a snapshot, or why there is none
    void setPaused(bool paused) ///< any thread
    {
        postTo(&m_loop, [this, paused] { m_watch.monitor().setPaused(paused); });
    }
    void act(const WatchScreen::ConfirmedAct& act) ///< any thread
    {
        postTo(&m_loop, [this, act] { ask(act); });
    }

private:
    void ask(const WatchScreen::ConfirmedAct& act)
    {
        if (!m_admin)
            m_admin = std::make_unique<admin::ServerAdminClient>(m_server);
        m_admin->ask(
            &m_loop,
            [act, localAudit = m_options.localAudit](admin::ServerAdmin& there) {
                there.recordLocally(localAudit);
                return act.isCancel ? there.cancelSession(act.session, act.reason)
                                    : there.endSession(act.session, act.reason);
            },
            [this, act](const Result<admin::Done>& done) {
                m_screen.showOutcome(done ? done->toString(act.afterwards) : errorText(done.error()));
                m_watch.monitor().refreshNow();
            });
    }
    void showSnapshot()
    {
        const SnapshotPtr snapshot = m_watch.monitor().snapshot();
        m_failed = snapshot->isIncomplete();
        m_failures = 0;
        if (m_options.changes)
            showChanges(std::exchange(m_last, snapshot), *snapshot, m_options.json);
        else if (m_options.json)
            printJson(*snapshot);
        else
            m_screen.show(snapshot);
        noteShown();
    }
    void showFailure()
    {
        const auto error = m_watch.monitor().lastError();
        const int failures = m_watch.monitor().failures().count;
        if (!error || std::exchange(m_failures, failures) == failures)
            return;
        m_failed = true;
        m_screen.showError(errorText(*error));
        noteShown();
        // Nothing is tried again, and nobody is there to see that.
        if (error->kind == ErrorKind::Login && (m_options.count > 0 || !m_options.isWatched))
            m_loop.quit();
    }
    void noteShown()
    {
        if (++m_shown == m_options.count)
            m_loop.quit();
    }

    const db::Server& m_server;
    watch::ServerWatch& m_watch;
    WatchScreen& m_screen;
    const Options m_options;
    QEventLoop m_loop;
    std::unique_ptr<admin::ServerAdminClient> m_admin; ///< once something was to be done
    SnapshotPtr m_last;
    qint64 m_shown = 0;
    int m_failures = 0; ///< in a row, that were shown
    bool m_failed = false;
};

/// Without a screen: a line for each incident that fires, gets worse or ends.
int watchAlerts(const CommandLine& line, const db::Server& server, watch::WatchOptions options, qint64 count)
{
    options.probes.surroundings = true; // connections and the server's role
    options.readsDeadlocks = options.keepsOrder = true;
    watch::ServerWatch watch(server, options);
    watch::IncidentWatch incidents;
    printAlerts(incidents, line.json());
    incidents.add(&watch);
    QEventLoop loop;
    int failures = 0;
    QObject::connect(&watch, &watch::ServerWatch::snapshotChanged, &loop, [&] {
        failures = 0;
        if (count > 0 && --count == 0)
            loop.quit();
    });
    QObject::connect(&watch, &watch::ServerWatch::healthChanged, &loop, [&] {
        const auto error = watch.monitor().lastError();
        if (error && std::exchange(failures, watch.monitor().failures().count) == 0)
            complain(error->toString());
    });
    const StopOnSignal stop(briefly, [&loop] { postTo(&loop, [&loop] { loop.quit(); }); });
    watch.start();
    loop.exec();
    incidents.waitUntilSent(std::chrono::milliseconds(500));
    return stop.signal() != 0 && stop.signal() != SIGINT ? exitSignal + stop.signal() : int(exitOk);
}

Result<ExitStatus> runWatch(const CommandLine& line)
{
    LOCKSCOPE_TRY_GET(const auto probes, probesFrom(line));
    LOCKSCOPE_TRY_GET(const auto interval, line.duration(u"interval"_s));
    LOCKSCOPE_TRY_GET(const auto count, line.number(u"n"_s, 0));
    LOCKSCOPE_TRY_GET(const auto server, serverToRead(line));

    const bool changes = line.has(u"changes"_s);
    watch::WatchOptions options{
        .interval = interval, .probes = probes, .readsDeadlocks = false, .keepsOrder = false};
    if (line.has(u"alerts"_s))
        return watchAlerts(line, server, options, count);
    // The screen shows who waits, and of the other locks only how many there are.
    if (!changes && !line.json())
        options.lockReading = monitor::LockReading::WhenWaitedFor;
    watch::ServerWatch watch(server, options);
    const bool inPlace = isTerminal(Stream::Out) && !line.json() && !changes;
    const TerminalMode terminal(inPlace);
    WatchScreen screen(inPlace, terminal.hasKeys());
    if (line.readOnly() || server.profile.readOnly)
        screen.refuseActs(u"Nothing can be done here: this server is read-only."_s);
    Shower shower(server, watch, screen,
        {.changes = changes,
            .json = line.json(),
            .count = count,
            .isWatched = terminal.hasKeys(),
            .localAudit = localAuditFrom(line)});
    const StopOnSignal stop(
        briefly, [&shower] { shower.quit(); }, [] { TerminalMode::restore(); });
    const WatchKeys keys(
        terminal,
        [&](const Key& key) {
            const auto request = screen.press(key);
            if (request == WatchScreen::KeyRequest::Quit)
                shower.quit();
            else if (request == WatchScreen::KeyRequest::PauseOrGoOn)
                shower.setPaused(screen.isPaused());
            else if (request == WatchScreen::KeyRequest::Act)
                shower.act(screen.confirmed());
        },
        [&screen] { screen.draw(); });
    const int code = shower.run();
    return stop.signal() != 0 && !shower.hasShown() ? exitSignal + stop.signal() : code;
}

} // namespace

Command watchCommand()
{
    Command command(u"watch"_s, u"the same, again and again, in place"_s, runWatch,
        u"Shows who blocks whom and the lock table, again and again, until q or Ctrl+C. At a terminal keys choose: up, down, j and k a head blocker, whose chain is shown; e ends its session and c cancels its statement, after the facts, a reason and a question; "
        "s the order (worst first, longest wait, name), / a filter, p a pause, PgUp and PgDn the page. With --changes a line for each change instead, by the server's clock: who gave a lock back, got it, stopped waiting or waits; "
        "of locks that somebody waits or has waited for, application locks and names of lock tables. It misses what came and went between two polls. On PostgreSQL and SQL Server locks are read only while somebody waits for one, else every 10 s, and the count of holders says how old it is; --json and "
        "--changes read them at each poll."_s);
    command.examples = {
        u"lockctl watch --interval 500ms"_s, u"lockctl watch --changes --json >> locks.log"_s};
    command.addFlag(u"alerts"_s,
        u"Only show incidents by the account's rules, keep them, and send their notices through the channels."_s);
    command.addFlag(u"changes"_s, u"Only show changes; the first poll shows the present state."_s);
    command.addValue(u"interval"_s, u"TIME"_s, u"Pause between two polls, at least 100ms."_s, u"2s"_s);
    command.addValue(u"n"_s, u"COUNT"_s, u"End after so many polls; 0: never."_s, u"0"_s);
    addLimit(command);
    addLocalAudit(command);
    command.apart = {{{u"alerts"_s}, {u"changes"_s}}};
    return command;
}

} // namespace lockscope::ctl
