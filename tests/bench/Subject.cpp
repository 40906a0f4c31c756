// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/bench/Subject.h"

#include "tests/bench/Measure.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryFile>
#include <QThread>

#include <csignal>
#include <cstring>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace lockscope::bench {

namespace {

double toMs(const timeval& time)
{
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

double residentMb(qint64 pid)
{
    QFile status(QStringLiteral("/proc/%1/status").arg(pid));
    if (!status.open(QIODevice::ReadOnly))
        return 0;
    for (const QByteArray& line : status.readAll().split('\n')) {
        if (line.startsWith("VmRSS:"))
            return line.mid(6).trimmed().split(' ').first().toDouble() / 1024;
    }
    return 0;
}

[[noreturn]] void become(const QStringList& command, const Environment& environment, int output)
{
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
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

Spent runFor(double seconds, const QStringList& command, const Environment& environment)
{
    QTemporaryFile output;
    output.open();
    const pid_t child = fork();
    if (child == 0)
        become(command, environment, output.handle());
    const auto start = Clock::now();
    rusage used{};
    int status = 0;
    bool isTold = false;
    double memoryMb = 0;
    while (wait4(child, &status, WNOHANG, &used) == 0) {
        if (!isTold && millisecondsSince(start) >= seconds * 1e3) {
            // Not ru_maxrss: that counts what the fork shared with us before it became the program.
            memoryMb = residentMb(child);
            kill(child, SIGINT);
            isTold = true;
        }
        if (millisecondsSince(start) >= seconds * 1e3 + 5'000)
            kill(child, SIGKILL);
        QThread::msleep(5);
    }
    QFile written(output.fileName());
    written.open(QIODevice::ReadOnly);
    return {toMs(used.ru_utime) + toMs(used.ru_stime), memoryMb, written.readAll()};
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
        *memoryMb = residentMb(process.processId());
    process.terminate();
    if (!process.waitForFinished(5'000))
        process.kill();
    process.waitForFinished();
    return times;
}

} // namespace lockscope::bench
