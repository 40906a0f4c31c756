// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/Lockctl.h"

#include "tests/support/Files.h"

#include <QRegularExpression>

namespace lockscope::test {

Lockctl::Lockctl(const QString& server, const QString& password)
    : m_environment(QProcessEnvironment::systemEnvironment())
{
    m_environment.insert(QStringLiteral("LOCKSCOPE_SERVER"), server);
    m_environment.insert(QStringLiteral("LOCKSCOPE_PASSWORD"), password);
    m_environment.remove(QStringLiteral("COLUMNS"));
    m_environment.remove(QStringLiteral("LOCKSCOPE_READ_ONLY"));
}

QStringList Lockctl::filled(const char* line, const QStringList& values)
{
    QStringList words = QString::fromLatin1(line).split(QLatin1Char(' '));
    for (QString& word : words)
        if (word.startsWith(QLatin1Char('%')))
            word = values.at(word.mid(1).toInt() - 1);
    return words;
}

std::unique_ptr<QProcess> Lockctl::start(const QStringList& arguments) const
{
    auto process = std::make_unique<QProcess>();
    process->setProcessEnvironment(m_environment);
    process->start(programPath("lockctl"), arguments);
    return process;
}

std::unique_ptr<QProcess> Lockctl::startBy(const QString& program, const QStringList& before,
    const QStringList& arguments, const QStringList& after) const
{
    auto process = std::make_unique<QProcess>();
    process->setProcessEnvironment(m_environment);
    const QString command = (QStringList{programPath("lockctl")} + arguments).join(QLatin1Char(' '));
    process->start(program, before + QStringList{command} + after);
    return process;
}

Lockctl::Answer Lockctl::finish(QProcess& process)
{
    process.closeWriteChannel();
    Answer answer;
    if (!process.waitForFinished())
        return answer;
    answer.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    answer.out = QString::fromUtf8(process.readAllStandardOutput());
    answer.err = QString::fromUtf8(process.readAllStandardError());
    return answer;
}

QStringList Lockctl::namesIn(const QString& help, const QString& pattern)
{
    const QRegularExpression expression(pattern, QRegularExpression::MultilineOption);
    QStringList names;
    for (auto found = expression.globalMatch(help); found.hasNext();)
        names << found.next().captured(1);
    names.removeDuplicates();
    names.sort();
    return names;
}

QStringList Lockctl::commands()
{
    const auto listed = [](const QStringList& group) {
        const QString help = Lockctl({})(group + QStringList{QStringLiteral("--help")}).out;
        return namesIn(help.section(QStringLiteral("\nCommands:\n"), 1).section(QStringLiteral("\n\n"), 0, 0),
            QStringLiteral("^  ([a-z][a-z-]*) {2,}"));
    };
    QStringList all;
    for (const QString& command : listed({})) {
        const QStringList own = listed({command});
        if (own.isEmpty())
            all << command;
        for (const QString& each : own)
            all << command + QLatin1Char(' ') + each;
    }
    return all;
}

} // namespace lockscope::test
