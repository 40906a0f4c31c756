// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/TerminalMode.h"

#include "app/lockctl/Console.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <string_view>
#include <termios.h>
#include <unistd.h>

namespace lockscope::ctl {

namespace {

constexpr std::string_view clearAndHideCursor = "\x1b[2J\x1b[?25l";
constexpr std::string_view showCursor = "\x1b[?25h\r\n"; // behind the picture goes on what comes next
constexpr std::array crashes{SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGQUIT};

// Written before the handlers are installed, read by them.
termios asFound;
bool isRaw = false;
volatile std::sig_atomic_t isOn = 0;
std::array<int, 2> redrawPipe{-1, -1};
std::array<struct sigaction, NSIG> former;

void put(std::string_view text)
{
    [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
}

/// In the background the system would stop us for touching the terminal.
bool isInForeground()
{
    return tcgetpgrp(STDOUT_FILENO) == getpgrp();
}

void enter()
{
    if (isOn == 0 || !isInForeground())
        return;
    if (isRaw) {
        termios keys = asFound;
        keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
        keys.c_cc[VMIN] = 1;
        keys.c_cc[VTIME] = 0;
        tcsetattr(STDIN_FILENO, TCSANOW, &keys);
    }
    put(clearAndHideCursor);
}

void askToRedraw()
{
    const char byte = 'r';
    [[maybe_unused]] const ssize_t written = ::write(redrawPipe[1], &byte, 1);
}

void onCrash(int number)
{
    TerminalMode::restore();
    std::signal(number, SIG_DFL);
    std::raise(number);
}

void handle(int number, void (*handler)(int))
{
    struct sigaction action { };
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, nullptr);
}

void onStop(int number)
{
    const int error = errno;
    TerminalMode::restore();
    std::signal(number, SIG_DFL);
    std::raise(number); // until somebody continues us
    handle(number, onStop);
    errno = error;
}

void onContinue(int)
{
    const int error = errno;
    enter();
    askToRedraw();
    errno = error;
}

void onOtherSize(int)
{
    const int error = errno;
    askToRedraw();
    errno = error;
}

/// An ignored signal stays so: the program that started us has chosen that.
void watch(int number, void (*handler)(int))
{
    struct sigaction& before = former[static_cast<size_t>(number)];
    sigaction(number, nullptr, &before);
    if (before.sa_handler != SIG_IGN)
        handle(number, handler);
}

void unwatch(int number)
{
    sigaction(number, &former[static_cast<size_t>(number)], nullptr);
}

bool makeRedrawPipe()
{
    if (pipe(redrawPipe.data()) != 0)
        return false;
    for (const int end : redrawPipe) {
        fcntl(end, F_SETFD, FD_CLOEXEC);
        fcntl(end, F_SETFL, O_NONBLOCK);
    }
    return true;
}

} // namespace

TerminalMode::TerminalMode(bool inPlace)
    : m_isOn(inPlace && makeRedrawPipe())
{
    if (!m_isOn)
        return;
    m_hasKeys = isTerminal(Stream::In) && tcgetattr(STDIN_FILENO, &asFound) == 0;
    isRaw = m_hasKeys;
    isOn = 1;
    for (const int number : crashes)
        watch(number, onCrash);
    watch(SIGTSTP, onStop);
    watch(SIGCONT, onContinue);
    watch(SIGWINCH, onOtherSize);
    enter();
}

TerminalMode::~TerminalMode()
{
    if (!m_isOn)
        return;
    restore();
    isOn = 0;
    for (const int number : crashes)
        unwatch(number);
    for (const int number : {SIGTSTP, SIGCONT, SIGWINCH})
        unwatch(number);
    for (const int end : redrawPipe)
        close(end);
    redrawPipe = {-1, -1};
}

int TerminalMode::redrawDescriptor() const
{
    return redrawPipe[0];
}

void TerminalMode::restore()
{
    if (isOn == 0 || !isInForeground())
        return;
    if (isRaw)
        tcsetattr(STDIN_FILENO, TCSANOW, &asFound);
    put(showCursor);
}

} // namespace lockscope::ctl
