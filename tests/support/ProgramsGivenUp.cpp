// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/ProgramsGivenUp.h"

#include "tests/support/Files.h"

#include <QElapsedTimer>
#include <QRegularExpression>
#include <QTest>

namespace lockscope::test {

using namespace Qt::StringLiterals;

namespace {

/// The most that a process had in memory so far, in kB; 0 if it is gone.
qint64 peakOf(qint64 process)
{
    static const QRegularExpression line(u"VmHWM:\\s+(\\d+) kB"_s);
    return line.match(QString::fromLatin1(contentOf(u"/proc/%1/status"_s.arg(process))))
        .captured(1)
        .toLongLong();
}

} // namespace

void ProgramsGivenUp::start(const Lockctl& lockctl, const QStringList& commands)
{
    for (const QString& command : commands)
        m_programs.push_back({command, lockctl.start(command.split(u' '))});
}

void ProgramsGivenUp::areGivenUp()
{
    QElapsedTimer elapsed;
    elapsed.start();
    const auto runs = [](const Program& program) { return program.process->state() != QProcess::NotRunning; };
    while (std::ranges::any_of(m_programs, runs) && elapsed.elapsed() < 90'000) {
        for (Program& program : m_programs) {
            program.peak = std::max(program.peak, peakOf(program.process->processId()));
            program.process->waitForFinished(5);
            if (runs(program))
                program.took = elapsed.elapsed();
        }
    }
    for (const Program& program : m_programs)
        wasGivenUp(program);
}

void ProgramsGivenUp::wasGivenUp(const Program& program)
{
    QProcess& process = *program.process;
    const bool isThrough = process.state() == QProcess::NotRunning;
    if (!isThrough) {
        process.kill();
        process.waitForFinished();
    }
    const Lockctl::Answer answer{process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
        QString::fromUtf8(process.readAllStandardError())};
    qInfo("%s: %lld ms, %lld MB: %s", qPrintable(program.command), static_cast<long long>(program.took),
        static_cast<long long>(program.peak / 1'024), answer.err.left(300).toUtf8().constData());
    QVERIFY2(isThrough, qPrintable(program.command + u" still runs"_s));
    QVERIFY2(answer.code != 0, answer.allOutput());
    QVERIFY2(program.command == u"check"_s || answer.isOneLineOfError(), answer.allOutput());
    QVERIFY2(program.peak < 300 * 1'024, qPrintable(u"%1 kB"_s.arg(program.peak)));
}

} // namespace lockscope::test
