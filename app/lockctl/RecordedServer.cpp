// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/RecordedServer.h"

#include "app/lockctl/Console.h"
#include "app/lockctl/NamedSnapshot.h"
#include "core/record/SetAside.h"

#include <algorithm>
#include <csignal>
#include <utility>

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

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
