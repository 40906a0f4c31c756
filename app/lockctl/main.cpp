// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/Program.h"
#include "core/base/BackgroundThread.h"

#include <QCoreApplication>

#include <cstdlib>

using namespace lockscope::ctl;
using namespace Qt::StringLiterals;

namespace {

QString helpText()
{
    QString text = u"Usage: lockctl COMMAND [OPTIONS]\n\n"
                   "Shows who holds which lock on a database server, who waits and behind whom; takes and "
                   "frees locks.\n\n"
                   "Commands:\n"_s;
    for (const Command& command : commands())
        text += u"  %1  %2\n"_s.arg(QString::fromLatin1(command.name), -12)
                    .arg(QString::fromUtf8(command.summary));
    text +=
        u"\n`lockctl COMMAND --help` tells the options of each.\n\n"
        "The server is --server URL, or $LOCKSCOPE_SERVER, or else sandbox: (a private PostgreSQL server):\n"
        "  sqlserver://user@host:1433/database   postgresql://user@host:5432/database\n"
        "  sqlite:///path/locks.db   sandbox:\n"
        "Passwords come from $LOCKSCOPE_PASSWORD, --password-stdin or the desktop's keychain.\n\n"
        "Exit codes: 0 done, 1 failed, 2 wrong usage, 75 lock not obtained; `run` passes on the command's "
        "own.\n"
        "A name that begins with '-' is written after \"--\", for `run` between two of them.\n"_s;
    return text;
}

int run(const QStringList& arguments)
{
    const QString first = arguments.value(1);
    if (first == u"--help" || first == u"-h" || first == u"help") {
        print(helpText());
        return exitOk;
    }
    if (first == u"--version" || first == u"-v") {
        print(u"lockctl %1\n"_s.arg(QCoreApplication::applicationVersion()));
        return exitOk;
    }
    for (const Command& command : commands()) {
        if (first == QLatin1StringView(command.name))
            return command.run(arguments.mid(1));
    }
    if (first.isEmpty())
        complain(u"Which command? `lockctl --help` lists them."_s);
    else
        complain(u"There is no command \"%1\". `lockctl --help` lists them."_s.arg(first));
    return exitUsage;
}

} // namespace

int main(int argc, char** argv)
{
    noteInheritedDescriptors(argc, argv);
    QCoreApplication app(argc, argv);
    QCoreApplication::setApplicationName(u"lockctl"_s);
    QCoreApplication::setApplicationVersion(QStringLiteral(LOCKSCOPE_VERSION));
    int code = run(QCoreApplication::arguments());
    if (code == exitOk && isOutputLost()) {
        complain(u"The answer could not be written to standard output."_s);
        code = exitFailed;
    }
    // A thread that waits for a server that doesn't answer must not keep us.
    if (!lockscope::BackgroundThread::waitForDetached(std::chrono::milliseconds(150)))
        std::_Exit(code);
    return code;
}
