// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/bench/Subject.h"

#include "tests/bench/Measure.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryFile>
#include <QThread>

#include <algorithm>
#include <array>
#include <csignal>

#include <fcntl.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockscope::bench {

namespace {

double toMs(const timeval& time)
{
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

/// "VmRSS:": resident now; "VmHWM:": the most that was, since it became this program.
double statusMb(qint64 pid, const QByteArray& field)
{
    QFile status(QStringLiteral("/proc/%1/status").arg(pid));
    if (!status.open(QIODevice::ReadOnly))
        return 0;
    for (const QByteArray& line : status.readAll().split('\n')) {
        if (line.startsWith(field))
            return line.mid(field.size()).trimmed().split(' ').first().toDouble() / 1024;
    }
    return 0;
}

/// Reads the output of a terminal. A program whose output nobody reads would be held up.
void readWhatCame(int terminal, QByteArray& output)
{
    std::array<char, 16'384> piece{};
    for (;;) {
        const ssize_t size = read(terminal, piece.data(), piece.size());
        if (size <= 0)
            return;
        output.append(piece.data(), static_cast<qsizetype>(size));
    }
}

/// `output`: −1 if standard output and error are what they should be.
[[noreturn]] void become(const QStringList& command, const Environment& environment, int output)
{
    if (output >= 0) {
        dup2(output, STDOUT_FILENO);
        dup2(output, STDERR_FILENO);
    }
    for (const auto& [name, value] : environment)
        qputenv(name.constData(), value);
    std::vector<QByteArray> words;
    for (const QString& word : command)
        words.push_back(word.toLocal8Bit());
    std::vector<char*> argv;
    for (QByteArray& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);
    execvp(argv.front(), argv.data());
    _exit(127);
}

} // namespace

Spent runFor(double seconds, const QStringList& command, const Environment& environment, WritesTo where)
{
    QTemporaryFile output;
    output.open();
    const bool hasTerminal = where == WritesTo::Terminal;
    const winsize size{60, 200, 0, 0};
    int terminal = -1;
    const auto start = Clock::now();
    const pid_t child = hasTerminal ? forkpty(&terminal, nullptr, nullptr, &size) : fork();
    if (child == 0)
        become(command, environment, hasTerminal ? -1 : output.handle());
    if (hasTerminal)
        fcntl(terminal, F_SETFL, O_NONBLOCK);
    rusage used{};
    int status = 0;
    bool isReported = false;
    Spent spent;
    while (wait4(child, &status, WNOHANG, &used) == 0) {
        if (hasTerminal)
            readWhatCame(terminal, spent.output);
        // ru_maxrss is not used: it counts the memory that the fork shared with us before it became the
        // program.
        spent.peakMb = std::max(spent.peakMb, statusMb(child, "VmHWM:"));
        if (!isReported && millisecondsSince(start) >= seconds * 1e3) {
            spent.memoryMb = statusMb(child, "VmRSS:");
            kill(child, SIGINT);
            isReported = true;
        }
        if (millisecondsSince(start) >= seconds * 1e3 + 5'000)
            kill(child, SIGKILL);
        QThread::msleep(1);
    }
    spent.elapsedMs = millisecondsSince(start);
    spent.cpuMs = toMs(used.ru_utime) + toMs(used.ru_stime);
    if (hasTerminal) {
        readWhatCame(terminal, spent.output);
        close(terminal);
        return spent;
    }
    QFile written(output.fileName());
    written.open(QIODevice::ReadOnly);
    spent.output = written.readAll();
    return spent;
}

std::vector<double> timesToLines(const QStringList& command, const QList<QByteArray>& lines,
    const Environment& environment, double* memoryMb, double settleSeconds)
{
    QProcess process;
    auto variables = QProcessEnvironment::systemEnvironment();
    for (const auto& [name, value] : environment)
        variables.insert(QString::fromUtf8(name), QString::fromUtf8(value));
    process.setProcessEnvironment(variables);
    process.setProcessChannelMode(QProcess::MergedChannels);
    std::vector<double> times;
    QByteArray seen;
    const auto start = Clock::now();
    process.start(command.first(), command.mid(1));
    while (static_cast<qsizetype>(times.size()) < lines.size() && millisecondsSince(start) < 20'000
        && process.waitForReadyRead(20'000)) {
        seen += process.readAll();
        while (static_cast<qsizetype>(times.size()) < lines.size()
            && seen.contains(lines[static_cast<qsizetype>(times.size())]))
            times.push_back(millisecondsSince(start));
    }
    QThread::msleep(static_cast<unsigned long>(settleSeconds * 1e3));
    if (memoryMb)
        *memoryMb = statusMb(process.processId(), "VmRSS:");
    process.terminate();
    if (!process.waitForFinished(5'000))
        process.kill();
    process.waitForFinished();
    return times;
}

} // namespace lockscope::bench
