// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/SignalWatch.h"

#include <QtGlobal>

#include <csignal>

#ifdef Q_OS_UNIX
#include <unistd.h>
#else
#include <atomic>
#include <chrono>
#endif

namespace lockscope::ctl {

#ifdef Q_OS_UNIX

namespace {

int pipeEnds[2] = {-1, -1};
constexpr int watched[] = {SIGINT, SIGTERM, SIGHUP};

// Only what may be done in a signal handler: one byte, the upper bit for "from the terminal".
void noteSignal(int number, siginfo_t* info, void*)
{
    const bool sentByProcess = info && info->si_code <= 0;
    const auto byte = static_cast<unsigned char>(number | (sentByProcess ? 0 : 0x80));
    [[maybe_unused]] const ssize_t written = ::write(pipeEnds[1], &byte, 1);
}

} // namespace

SignalWatch::SignalWatch(std::function<void(Signal)> onSignal)
    : m_onSignal(std::move(onSignal))
{
    if (pipe(pipeEnds) != 0)
        return;
    struct sigaction action { };
    action.sa_sigaction = noteSignal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const int number : watched)
        sigaction(number, &action, nullptr);
    m_thread = std::jthread([this] {
        unsigned char byte = 0;
        while (::read(pipeEnds[0], &byte, 1) == 1 && byte != 0)
            m_onSignal({byte & 0x7f, (byte & 0x80) != 0});
    });
}

SignalWatch::~SignalWatch()
{
    for (const int number : watched)
        std::signal(number, SIG_DFL);
    const unsigned char end = 0;
    [[maybe_unused]] const ssize_t written = ::write(pipeEnds[1], &end, 1);
    if (m_thread.joinable())
        m_thread.join();
    close(pipeEnds[0]);
    close(pipeEnds[1]);
}

#else

namespace {

std::atomic<int> pending = 0;

void noteSignal(int number)
{
    pending = number;
}

} // namespace

SignalWatch::SignalWatch(std::function<void(Signal)> onSignal)
    : m_onSignal(std::move(onSignal))
{
    std::signal(SIGINT, noteSignal);
    std::signal(SIGTERM, noteSignal);
    m_thread = std::jthread([this](std::stop_token stop) {
        while (!stop.stop_requested()) {
            if (const int number = pending.exchange(0))
                m_onSignal({number, true});
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
    });
}

SignalWatch::~SignalWatch()
{
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
}

#endif

} // namespace lockscope::ctl
