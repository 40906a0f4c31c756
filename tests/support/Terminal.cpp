// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/Terminal.h"

#include "tests/support/Waiting.h"

#include <QElapsedTimer>

#include <algorithm>
#include <array>
#include <csignal>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

namespace lockscope::test {

constexpr int glance = 10; // ms

static std::vector<char*> pointers(QList<QByteArray>& texts)
{
    std::vector<char*> list;
    for (QByteArray& text : texts)
        list.push_back(text.data());
    list.push_back(nullptr);
    return list;
}

Terminal::Terminal(const QString& program, const QStringList& arguments, const QStringList& environment,
    int columns, int rows)
    : m_rows(static_cast<size_t>(rows))
    , m_columns(columns)
{
    QList<QByteArray> words{program.toLocal8Bit()};
    for (const QString& argument : arguments)
        words << argument.toLocal8Bit();
    QList<QByteArray> settings;
    for (char** each = ::environ; *each; ++each) {
        const QByteArray setting(*each);
        if (!setting.startsWith("COLUMNS=") && !setting.startsWith("LINES="))
            settings << setting;
    }
    for (const QString& setting : environment) {
        settings.removeIf([&](const QByteArray& former) {
            return former.startsWith(setting.section(u'=', 0, 0).toLocal8Bit() + '=');
        });
        settings << setting.toLocal8Bit();
    }
    const std::vector<char*> argv = pointers(words);
    const std::vector<char*> envp = pointers(settings);
    winsize size{};
    size.ws_col = static_cast<unsigned short>(columns);
    size.ws_row = static_cast<unsigned short>(rows);
    m_process = forkpty(&m_descriptor, nullptr, nullptr, &size);
    if (m_process == 0) {
        execve(argv.front(), argv.data(), envp.data());
        _exit(127);
    }
    if (m_process < 0)
        qFatal("no pseudo-terminal");
}

Terminal::~Terminal()
{
    if (!m_hasEnded) {
        ::kill(m_process, SIGKILL);
        waitpid(m_process, nullptr, 0);
    }
    close(m_descriptor);
}

void Terminal::type(const QByteArray& keys)
{
    if (::write(m_descriptor, keys.constData(), static_cast<size_t>(keys.size())) != keys.size())
        qFatal("could not type");
}

void Terminal::resize(int columns, int rows)
{
    m_columns = columns;
    m_rows.resize(static_cast<size_t>(rows));
    winsize size{};
    size.ws_col = static_cast<unsigned short>(columns);
    size.ws_row = static_cast<unsigned short>(rows);
    ioctl(m_descriptor, TIOCSWINSZ, &size);
}

bool Terminal::waitUntil(const std::function<bool()>& isAsRequested)
{
    QElapsedTimer timer;
    timer.start();
    while (!isAsRequested()) {
        if (timer.hasExpired(patience.count()))
            return false;
        readSome();
    }
    return true;
}

QStringList Terminal::screen() const
{
    QStringList lines;
    for (const std::u32string& row : m_rows) {
        QString line = QString::fromStdU32String(row);
        while (line.endsWith(u' '))
            line.chop(1);
        lines << line;
    }
    return lines;
}

bool Terminal::echoesAndWaitsForLines() const
{
    termios now{};
    tcgetattr(m_descriptor, &now);
    return (now.c_lflag & ECHO) != 0 && (now.c_lflag & ICANON) != 0;
}

bool Terminal::hasEnded()
{
    m_hasEnded = m_hasEnded || waitpid(m_process, &m_status, WNOHANG) == m_process;
    return m_hasEnded;
}

int Terminal::waitForEnd()
{
    const bool ended = waitUntil([this] { return hasEnded(); });
    while (readSome()) { }
    if (!ended)
        return -1'000;
    return WIFSIGNALED(m_status) ? -WTERMSIG(m_status) : WEXITSTATUS(m_status);
}

bool Terminal::readSome()
{
    pollfd polled{m_descriptor, POLLIN, 0};
    if (poll(&polled, 1, glance) <= 0)
        return false;
    std::array<char, 4'096> bytes{};
    const ssize_t count = ::read(m_descriptor, bytes.data(), bytes.size());
    if (count <= 0) {
        poll(nullptr, 0, glance); // it has ended: not again at once
        return false;
    }
    m_kept.append(bytes.data(), count);
    while (!m_kept.isEmpty()) {
        if (m_kept[0] == '\x1b') {
            const auto end = std::find_if(m_kept.begin() + std::min<qsizetype>(2, m_kept.size()),
                m_kept.end(), [](char c) { return c >= '@' && c <= '~'; });
            if (end == m_kept.end())
                break;
            const qsizetype length = end - m_kept.begin() + 1;
            obey(m_kept.mid(1, length - 1));
            m_kept.remove(0, length);
            continue;
        }
        const auto first = static_cast<unsigned char>(m_kept[0]);
        const qsizetype length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        if (m_kept.size() < length)
            break;
        for (const char32_t character : QString::fromUtf8(m_kept.first(length)).toUcs4())
            put(character);
        m_kept.remove(0, length);
    }
    return true;
}

void Terminal::put(char32_t character)
{
    const auto lastRow = static_cast<int>(m_rows.size()) - 1;
    const auto lineFeed = [&] {
        if (m_row < lastRow) {
            ++m_row;
        } else {
            m_rows.erase(m_rows.begin());
            m_rows.emplace_back();
        }
    };
    if (character == '\r') {
        m_column = 0;
        return;
    }
    if (character == '\n') {
        lineFeed();
        return;
    }
    if (character < ' ')
        return;
    if (m_column == m_columns) { // as terminals do: the next line only when something more comes
        m_column = 0;
        lineFeed();
    }
    std::u32string& row = m_rows[static_cast<size_t>(m_row)];
    if (row.size() <= static_cast<size_t>(m_column))
        row.resize(static_cast<size_t>(m_column) + 1, U' ');
    row[static_cast<size_t>(m_column)] = character;
    ++m_column;
}

void Terminal::obey(const QByteArray& sequence)
{
    std::u32string& row = m_rows[static_cast<size_t>(m_row)];
    if (sequence == "[2J") {
        std::fill(m_rows.begin(), m_rows.end(), std::u32string());
    } else if (sequence == "[K") {
        row.resize(std::min(row.size(), static_cast<size_t>(m_column)));
    } else if (sequence == "[J") {
        row.resize(std::min(row.size(), static_cast<size_t>(m_column)));
        std::fill(m_rows.begin() + m_row + 1, m_rows.end(), std::u32string());
    } else if (sequence.endsWith('H')) {
        const QList<QByteArray> place = sequence.mid(1).chopped(1).split(';');
        m_row = std::clamp(place[0].toInt() - 1, 0, static_cast<int>(m_rows.size()) - 1);
        m_column = place.size() > 1 ? std::max(0, place[1].toInt() - 1) : 0;
    } else if (sequence == "[?25l" || sequence == "[?25h") {
        m_isCursorShown = sequence.endsWith('h');
    }
}

} // namespace lockscope::test
