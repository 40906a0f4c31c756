// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/RecordedServer.h"

#include "app/lockctl/Console.h"
#include "app/lockctl/Recordings.h"
#include "app/lockctl/ServerOption.h"
#include "core/base/Sentences.h"
#include "core/record/RecordingWriter.h"
#include "core/record/postgres/HistoryStore.h"

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
    bool isSomethingWritten = false;
    bool isAllWritten = true; // by all that have a file
    bool isAllWrittenSince = true;
    for (const RecordState& state : states) {
        if (!state.trouble.isEmpty())
            troubles << state.trouble;
        isSomethingWritten = isSomethingWritten || state.recorder.writes > 0;
        isAllWritten = isAllWritten && (state.recorder.writes > 0 || !state.recorder.isOpen);
        isAllWrittenSince = isAllWrittenSince && isAlive(state);
    }
    m_notifier.status(u"%1 of %2 servers are recorded. %3"_s.arg(states.size() - troubles.size())
                          .arg(states.size())
                          .arg(troubles.join(u' ')));
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

namespace {

constexpr milliseconds lastChance{5'000};

}

void addInto(Command& command)
{
    command.addValue(u"into"_s, u"URL"_s,
        u"Bring it to a team's history, too: a database of PostgreSQL (lockctl install --history). While that can't be reached, the file keeps it."_s);
}

Result<void> checkMayWriteHistory(const CommandLine& line)
{
    if (line.readOnly())
        return failure(ErrorKind::ReadOnly, u"Can't write a history: lockctl is read-only."_s,
            u"Leave out --read-only and unset LOCKSCOPE_READ_ONLY, or leave out the history."_s);
    return {};
}

Result<Uploads> Uploads::from(const CommandLine& line)
{
    Uploads uploads;
    if (!line.has(u"into"_s))
        return uploads;
    LOCKSCOPE_TRY(checkMayWriteHistory(line));
    LOCKSCOPE_TRY_GET(auto place, record::HistoryPlace::parse(line.value(u"into"_s)));
    if (!place.recording.isEmpty())
        return failure(ErrorKind::BadInput, u"The recording names itself."_s,
            u"Leave out what follows the '#' in --into."_s);
    uploads.m_history = std::make_shared<record::HistoryConnections>(std::move(place.server));
    return uploads;
}

void Uploads::bring(const QString& path, const std::shared_ptr<record::HistoryConnections>& history)
{
    const auto known = m_all.find(path);
    if (known != m_all.end() && known->second.upload->history() == history) {
        known->second.leavesBy.reset();
        return;
    }
    m_all.erase(path);
    if (history)
        m_all.emplace(path, One{std::make_unique<record::HistoryUpload>(path, history)});
}

void Uploads::leaveOthers(const std::function<bool(const QString& path)>& isUploaded)
{
    for (auto& [path, one] : m_all) {
        if (one.leavesBy || isUploaded(path))
            continue;
        one.leavesBy = Clock::now() + lastChance;
        one.upload->check();
    }
}

std::optional<record::UploadState> Uploads::state(const QString& path) const
{
    const auto found = m_all.find(path);
    return found == m_all.end() ? std::nullopt : std::optional(found->second.upload->state());
}

/// Returns all histories and files, whether they are in trouble or not.
std::map<QString, Uploads::Trouble> Uploads::troubles() const
{
    std::map<QString, Trouble> troubles;
    for (const auto& [path, one] : m_all) {
        const auto state = one.upload->state();
        const QString history = one.upload->history()->server().display();
        const QString why = state.error ? errorText(*state.error) : QString();
        const bool isBrought = !state.error && (state.isUpToDate || state.frames > 0);
        Trouble ofFile{.over = u"%1 goes to the history %2 again."_s.arg(path, history), .isOver = isBrought};
        Trouble& ofHistory = troubles[history];
        ofHistory.over = u"The history %1 is back, and gets what the files have kept."_s.arg(history);
        ofHistory.isOver = ofHistory.isOver || isBrought;
        if (state.error && state.isAway) {
            // Not by its text: a network that comes back says something else each second.
            ofHistory.reason = state.isRefused() ? u"refused"_s : u"unreachable"_s;
            ofHistory.message = (state.isRefused()
                    ? u"The history %1 refuses what is to go there, and the files keep it: %2"_s
                    : u"The history %1 can't be reached, and the files keep what is to go there: %2"_s)
                                    .arg(history, why);
        } else if (state.isUnreadable || (state.error && state.isFileThere)) {
            ofFile.reason = why;
            ofFile.message =
                (state.isUnreadable ? u"%1 can't be read, and does not go to the history %2: %3"_s
                                    : u"%1 keeps what is to go to the history %2: %3"_s)
                    .arg(path, history, why);
        }
        troubles[path] = ofFile;
    }
    return troubles;
}

void Uploads::printTroubles()
{
    std::map<QString, QString> reasons;
    for (const auto& [what, trouble] : troubles()) {
        const QString before = m_reasons[what];
        const bool isUnknown = trouble.reason.isEmpty() && !trouble.isOver;
        reasons[what] = isUnknown ? before : trouble.reason;
        if (reasons[what] != before)
            complain(trouble.reason.isEmpty() ? trouble.over : trouble.message);
    }
    m_reasons = std::move(reasons);
}

void Uploads::printChanges()
{
    printTroubles();
    for (auto& [path, one] : m_all) {
        const auto state = one.upload->state();
        if (state.isUpToDate && state.skipped > std::exchange(one.skipped, state.skipped))
            complain(u"%1: %2 from the file before the history took them, which has a gap there."_s.arg(
                path, counted(state.skipped, u"snapshot was dropped", u"snapshots were dropped")));
    }
}

namespace {

void complainOfRest(const QString& path)
{
    complain(
        u"Not all of %1 is in the history yet: the next program that records into it brings it there."_s.arg(
            path));
}

} // namespace

void Uploads::endThoseThatLeave()
{
    std::erase_if(m_all, [](const auto& each) {
        const auto& [path, one] = each;
        if (!one.leavesBy)
            return false;
        const bool isLate = *one.leavesBy < Clock::now();
        if (isLate && !one.upload->isAllThere())
            complainOfRest(path);
        return isLate || one.upload->isAllThere();
    });
}

void Uploads::finish()
{
    const auto until = Clock::now() + lastChance;
    for (const auto& [path, one] : m_all)
        one.upload->check();
    for (const auto& [path, one] : m_all) {
        const auto left = std::chrono::ceil<milliseconds>(until - Clock::now());
        if (!one.upload->finish(std::max(left, milliseconds(1))))
            complainOfRest(path);
    }
}

} // namespace lockscope::ctl
