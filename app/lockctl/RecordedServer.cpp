// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/RecordedServer.h"

#include "app/lockctl/Console.h"
#include "app/lockctl/ServerOption.h"
#include "core/record/SetAside.h"

#include <QCoreApplication>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

#ifdef Q_OS_LINUX

ServiceNotifier::ServiceNotifier()
    : m_address(qgetenv("NOTIFY_SOCKET"))
{
    const QByteArray watchdog = qgetenv("WATCHDOG_USEC");
    const QByteArray watched = qgetenv("WATCHDOG_PID");
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"})
        qunsetenv(name);
    // A path, or with '@' a name that is in no folder.
    const bool isAddress = (m_address.startsWith('/') || m_address.startsWith('@')) && m_address.size() > 1
        && static_cast<size_t>(m_address.size()) < sizeof(sockaddr_un::sun_path);
    if (!isAddress)
        return;
    m_socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (watched.isEmpty() || watched.toLongLong() == QCoreApplication::applicationPid())
        m_watchdog = std::chrono::microseconds(watchdog.toLongLong());
}

ServiceNotifier::~ServiceNotifier()
{
    if (m_socket >= 0)
        ::close(m_socket);
}

bool ServiceNotifier::send(const QByteArray& state) const
{
    if (m_socket < 0)
        return false;
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    std::memcpy(to.sun_path, m_address.constData(), static_cast<size_t>(m_address.size()));
    if (to.sun_path[0] == '@')
        to.sun_path[0] = '\0';
    const auto length =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + static_cast<size_t>(m_address.size()));
    return ::sendto(m_socket, state.constData(), static_cast<size_t>(state.size()),
               MSG_NOSIGNAL | MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&to), length)
        == static_cast<ssize_t>(state.size());
}

#else

ServiceNotifier::ServiceNotifier() = default;
ServiceNotifier::~ServiceNotifier() = default;

bool ServiceNotifier::send(const QByteArray& /*state*/) const
{
    return false;
}

#endif

void ServiceNotifier::ready()
{
    if (!m_isReady)
        m_isReady = send("READY=1");
}

void ServiceNotifier::alive()
{
    static_cast<void>(send("WATCHDOG=1"));
}

void ServiceNotifier::stopping()
{
    static_cast<void>(send("STOPPING=1"));
}

void ServiceNotifier::status(const QString& text)
{
    if (text != m_status && send("STATUS=" + printable(text).simplified().toUtf8()))
        m_status = text;
}

namespace {

constexpr milliseconds pollStatesEvery{100}; // the service manager learns of a signal within this
constexpr int feedsPerWatchdog = 4; // so that half of its time is never missed
constexpr std::chrono::minutes maxDelay{1}; // of an answer, or of a poll that is due

bool isNew(const QString& text, QString& message)
{
    return text != std::exchange(message, text) && !text.isEmpty();
}

} // namespace

RecordState RecordedServer::state() const
{
    RecordState state{.server = m_watch->profile().display(),
        .recorder = m_watch->recorder()->state(),
        .asking = m_watch->monitor().pollBegan(),
        .asked = m_watch->monitor().pollEnded()};
    state.due = state.asked + m_watch->monitor().effectiveInterval();
    auto error = m_watch->monitor().lastError();
    state.needsPerson = error && error->kind == ErrorKind::Login;
    if (!error)
        error = state.recorder.error;
    if (error) {
        if (error->server.isEmpty())
            error->server = state.server;
        state.trouble = errorText(withoutNextAttempt(*error));
    }
    return state;
}

void RecordedServer::reportChanges(const RecordState& state)
{
    const record::RecorderState& recorder = state.recorder;
    if (!state.trouble.isEmpty() && state.trouble != std::exchange(m_complained, state.trouble))
        complain(state.trouble);
    else if (state.trouble.isEmpty() && recorder.writes > m_writes)
        m_complained.clear(); // not by a note that could be written
    m_writes = recorder.writes;
    if (isNew(recorder.setAside, m_setAside))
        complain(recorder.wasDamaged ? u"%1: %2"_s.arg(state.server, record::setAsideText(recorder.setAside))
                                     : u"%1 was another server before: its recording is %2 now."_s.arg(
                                         state.server, recorder.setAside));
    if (isNew(recorder.exposure, m_exposure))
        complain(recorder.exposure);
    if (isNew(recorder.news, m_news))
        complain(recorder.news);
}

int Supervision::exitCode(int signal, int code) const
{
    const bool isUsual = signal == 0 || signal == SIGINT || (signal == SIGTERM && m_notifier.isService());
    return isUsual ? code : exitSignal + signal;
}

milliseconds Supervision::tick() const
{
    const auto watchdog = std::chrono::floor<milliseconds>(m_notifier.watchdog() / feedsPerWatchdog);
    return watchdog.count() > 0 ? std::min(watchdog, pollStatesEvery) : pollStatesEvery;
}

/// True if something was written since the watchdog was fed, or there was nothing to write: no poll has ended
/// since, because it waits for the server or the next one is not due, or it waits for a person. A server that
/// does not answer at all is given up sooner.
bool Supervision::isAlive(const RecordState& state) const
{
    const auto now = std::chrono::steady_clock::now();
    // Fewer writes than before are those of a recorder that began again.
    const auto lateFrom = (state.asking ? *state.asking : state.due) + maxDelay;
    return state.recorder.writes != m_fed.value(state.recorder.path) || !state.recorder.isOpen
        || state.needsPerson || (state.asked < m_lastFed && now < lateFrom);
}

void Supervision::note(const QList<RecordState>& states)
{
    if (!m_notifier.isService())
        return;
    QStringList troubles;
    qsizetype recorded = 0;
    bool isSomethingWritten = false;
    bool isAllWritten = true; // by all that have a file
    bool isAllWrittenSince = true;
    for (const RecordState& state : states) {
        recorded += state.trouble.isEmpty() ? 1 : 0;
        if (!state.trouble.isEmpty())
            troubles << state.trouble;
        isSomethingWritten = isSomethingWritten || state.recorder.writes > 0;
        isAllWritten = isAllWritten && (state.recorder.writes > 0 || !state.recorder.isOpen);
        isAllWrittenSince = isAllWrittenSince && isAlive(state);
    }
    m_notifier.status(
        u"%1 of %2 servers are recorded. %3"_s.arg(recorded).arg(states.size()).arg(troubles.join(u' ')));
    if (!isSomethingWritten || !isAllWritten)
        return;
    m_notifier.ready();
    const auto now = std::chrono::steady_clock::now();
    const bool isDue =
        m_notifier.watchdog().count() > 0 && now - m_lastFed >= m_notifier.watchdog() / feedsPerWatchdog;
    if (isDue && isAllWrittenSince) {
        m_lastFed = now;
        m_notifier.alive();
        for (const RecordState& state : states)
            m_fed[state.recorder.path] = state.recorder.writes;
    }
}

} // namespace lockscope::ctl
