// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/WatchScreen.h"

#include "app/lockctl/Console.h"
#include "core/base/ShownText.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <optional>
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

using Name = Key::Name;

constexpr char escape = '\x1b';

/// Returns the length of "ESC [ 5 ~", "ESC [ A", "ESC O A" and the like; 0: it is incomplete.
qsizetype sequenceLength(const QByteArray& bytes)
{
    if (bytes.size() < 2)
        return 0;
    if (bytes[1] != '[' && bytes[1] != 'O')
        return 1; // the Escape key, and then another one
    for (qsizetype i = 2; i < bytes.size(); ++i)
        if (bytes[i] >= '@' && bytes[i] <= '~')
            return i + 1;
    return 0;
}

std::optional<Key> keyOfSequence(const QByteArray& sequence)
{
    if (sequence.size() == 1)
        return Key{Name::Escape};
    struct Known {
        const char* sequence;
        Name name;
    };
    static constexpr Known all[] = {{"[A", Name::Up}, {"OA", Name::Up}, {"[B", Name::Down},
        {"OB", Name::Down}, {"[5~", Name::PageUp}, {"[6~", Name::PageDown}, {"[H", Name::Home},
        {"OH", Name::Home}, {"[1~", Name::Home}, {"[7~", Name::Home}, {"[F", Name::End}, {"OF", Name::End},
        {"[4~", Name::End}, {"[8~", Name::End}};
    for (const Known& known : all) {
        if (sequence.sliced(1) == known.sequence)
            return Key{known.name};
    }
    return std::nullopt;
}

/// 0: no beginning of a character.
qsizetype characterLength(char first)
{
    const auto byte = static_cast<unsigned char>(first);
    return byte < 0x80 ? 1 : byte < 0xc2 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : byte < 0xf5 ? 4 : 0;
}

std::optional<Key> keyOfCharacter(const QByteArray& bytes)
{
    switch (bytes[0]) {
    case '\r':
    case '\n':
        return Key{Name::Enter};
    case '\x7f':
    case '\b':
        return Key{Name::Backspace};
    default:
        break;
    }
    const auto text = QString::fromUtf8(bytes).toUcs4();
    // A filter is shown as it is typed or pasted.
    if (text.size() != 1 || steersCode(text[0]) || text[0] == QChar::ReplacementCharacter)
        return std::nullopt;
    return Key{Name::Character, text[0]};
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

QList<Key> TerminalKeyReader::keysOf(const QByteArray& bytes)
{
    m_kept += bytes;
    QList<Key> keys;
    while (!m_kept.isEmpty()) {
        const bool isSequence = m_kept[0] == escape;
        const qsizetype length = isSequence ? sequenceLength(m_kept) : characterLength(m_kept[0]);
        if (isSequence ? length == 0 : m_kept.size() < length)
            break; // more is to come
        const QByteArray whole = m_kept.first(std::max<qsizetype>(length, 1));
        m_kept.remove(0, whole.size());
        if (const auto key = isSequence ? keyOfSequence(whole) : keyOfCharacter(whole))
            keys.append(*key);
    }
    return keys;
}

QList<Key> TerminalKeyReader::keysAtRest()
{
    const bool wasEscape = m_kept == QByteArray(1, escape);
    m_kept.clear();
    return wasEscape ? QList<Key>{{Name::Escape}} : QList<Key>();
}

} // namespace lockscope::ctl
