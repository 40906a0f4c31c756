// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/SignalWatch.h"

#include <QtGlobal>

#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <vector>

namespace lockscope::ctl {

bool SignalWatch::Signal::isEnd() const
{
    return number != SIGUSR1 && number != SIGUSR2 && number != SIGALRM;
}

namespace {

int pipeEnds[2] = {-1, -1};
constexpr int ends[] = {SIGINT, SIGTERM, SIGHUP};
constexpr int others[] = {SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGABRT};
constexpr int askLastResortEvery = 100; // ms

struct Before {
    int number;
    struct sigaction action;
};
std::vector<Before>& before()
{
    static std::vector<Before> actions;
    return actions;
}

// Only what may be done in a signal handler: one byte, the upper bit for "from the terminal".
void noteSignal(int number, siginfo_t* info, void*)
{
    const bool sentByProcess = info && info->si_code <= 0;
    const auto byte = static_cast<unsigned char>(number | (sentByProcess ? 0 : 0x80));
    [[maybe_unused]] const ssize_t written = ::write(pipeEnds[1], &byte, 1);
}

void watch(int number)
{
    struct sigaction old { };
    sigaction(number, nullptr, &old);
    if (old.sa_handler == SIG_IGN)
        return;
    struct sigaction action { };
    action.sa_sigaction = noteSignal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
    before().push_back({number, old});
}

bool makePipe()
{
#ifdef Q_OS_LINUX
    return pipe2(pipeEnds, O_CLOEXEC) == 0;
#else
    if (pipe(pipeEnds) != 0)
        return false;
    for (const int end : pipeEnds)
        fcntl(end, F_SETFD, FD_CLOEXEC);
    return true;
#endif
}

} // namespace

SignalWatch::SignalWatch(Which which, std::function<void(Signal)> onSignal, LastResort lastResort)
    : m_onSignal(std::move(onSignal))
    , m_lastResort(std::move(lastResort))
{
    if (!makePipe())
        return;
    sigset_t watched;
    sigemptyset(&watched);
    for (const int number : ends)
        watch(number);
    if (which == Which::All)
        for (const int number : others)
            watch(number);
    for (const Before& each : before())
        sigaddset(&watched, each.number);
    pthread_sigmask(SIG_UNBLOCK, &watched, nullptr);
    m_thread = std::jthread([this] { work(); });
}

void SignalWatch::work()
{
    for (int count = 0;;) {
        pollfd polled{pipeEnds[0], POLLIN, 0};
        const int ready = poll(&polled, 1, count > 0 ? askLastResortEvery : -1);
        if (ready == 0 && count > 0) {
            if (const auto code = m_lastResort())
                _exit(*code);
        }
        if (ready <= 0)
            continue;
        unsigned char byte = 0;
        if (::read(pipeEnds[0], &byte, 1) != 1 || byte == 0)
            return;
        m_onSignal({byte & 0x7f, (byte & 0x80) != 0});
        if (++count > 1)
            if (const auto code = m_lastResort())
                _exit(*code);
    }
}

SignalWatch::~SignalWatch()
{
    for (const Before& each : before())
        sigaction(each.number, &each.action, nullptr);
    before().clear();
    const unsigned char end = 0;
    [[maybe_unused]] const ssize_t written = ::write(pipeEnds[1], &end, 1);
    if (m_thread.joinable())
        m_thread.join();
    close(pipeEnds[0]);
    close(pipeEnds[1]);
}

} // namespace lockscope::ctl
