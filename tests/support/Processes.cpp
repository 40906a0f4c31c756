// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "tests/support/Processes.h"

#include "tests/support/Files.h"

#include <QCoreApplication>
#include <QDir>
#include <QMap>
#include <QTcpServer>

#include <algorithm>
#include <atomic>

namespace lockscope::test {

using namespace Qt::StringLiterals;

static QList<qint64> allProcesses()
{
    QList<qint64> found;
    for (const QString& name : QDir(u"/proc"_s).entryList(QDir::Dirs))
        if (const qint64 process = name.toLongLong(); process > 0)
            found << process;
    return found;
}

static QMap<qint64, QByteArray> commandLines()
{
    QMap<qint64, QByteArray> found;
    for (const qint64 process : allProcesses())
        found.insert(process, processFile(process, u"cmdline"_s));
    return found;
}

QByteArray processFile(qint64 process, const QString& name)
{
    return contentOf(u"/proc/%1/%2"_s.arg(process).arg(name));
}

QList<qint64> processesOf(const QString& program, const QString& directory)
{
    QList<qint64> found;
    const auto lines = commandLines();
    for (auto it = lines.begin(); it != lines.end(); ++it)
        if (it->contains(directory.toUtf8()) && it->split('\0').first().endsWith('/' + program.toUtf8()))
            found << it.key();
    return found;
}

QList<qint64> childrenOf(qint64 parent, const QByteArray& name)
{
    QList<qint64> found;
    for (const qint64 process : allProcesses()) {
        // "123 (lockscope-playe) S 99 …"
        const QByteArray stat = processFile(process, u"stat"_s);
        const QByteArrayList after = stat.mid(stat.lastIndexOf(')') + 2).split(' ');
        if (stat.contains('(' + name) && after.value(1).toLongLong() == parent)
            found << process;
    }
    return found;
}

QList<qint64> processesWith(const QByteArray& text)
{
    QList<qint64> found;
    const auto lines = commandLines();
    for (auto it = lines.begin(); it != lines.end(); ++it)
        if (it->contains(text))
            found << it.key();
    return found;
}

bool nothingRunsIn(const QString& directory)
{
    const QByteArray ourProgram = QCoreApplication::applicationFilePath().toUtf8();
    const auto lines = commandLines();
    return std::ranges::none_of(lines, [&](const QByteArray& line) {
        return line.contains(directory.toUtf8()) && !line.startsWith(ourProgram);
    });
}

quint16 freePort()
{
    // The system chooses from those above 32768 for everybody who asks for any, also for one that is about to
    // be used here. Below, processes of one time mostly have their own.
    static std::atomic<int> last = 0;
    for (int tries = 0; tries < 1'000; ++tries) {
        const auto port =
            quint16(10'000 + (QCoreApplication::applicationPid() * 100 + ++last % 100) % 22'000);
        if (QTcpServer().listen(QHostAddress::LocalHost, port))
            return port;
    }
    qFatal("no port is free");
}

} // namespace lockscope::test
