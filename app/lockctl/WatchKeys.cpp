// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/WatchKeys.h"

#include "app/lockctl/TerminalMode.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace lockscope::ctl {

namespace {

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

} // namespace

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

} // namespace lockscope::ctl
