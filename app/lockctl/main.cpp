// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/CommandLine.h"
#include "app/lockctl/Console.h"
#include "core/base/BackgroundThread.h"

#include <QCoreApplication>

#include <cstdlib>

using namespace lockscope::ctl;
using namespace Qt::StringLiterals;

namespace {

int run(const QStringList& words)
{
    if (words.value(0) == u"__complete") { // of the shells' completion: "__complete -- WORDS"
        print(completions(words.mid(2)).join(u'\n') + u'\n');
        return exitOk;
    }
    const bool asksForHelp = words.value(0) == u"help";
    const auto line = CommandLine::parse(asksForHelp ? words.mid(1) << u"--help"_s : words);
    if (!line) {
        complain(line.error().what);
        return exitUsage;
    }
    if (line->has(u"help"_s)) {
        print(helpText(line->command()));
        return exitOk;
    }
    if (!line->command() || line->has(u"version"_s)) {
        print(u"lockctl %1\n"_s.arg(QCoreApplication::applicationVersion()));
        return exitOk;
    }
    return statusOf(*line->command(), line->command()->run(*line));
}

} // namespace

int main(int argc, char** argv)
{
    noteInheritedDescriptors(argc, argv);
    QCoreApplication app(argc, argv);
    QCoreApplication::setApplicationName(u"lockctl"_s);
    QCoreApplication::setApplicationVersion(QStringLiteral(LOCKSCOPE_VERSION));
    int code = run(QCoreApplication::arguments().mid(1));
    if (code == exitOk && isOutputLost()) {
        complain(u"The answer could not be written to standard output."_s);
        code = exitFailed;
    }
    // A thread that waits for a server that doesn't answer must not keep us.
    if (!lockscope::BackgroundThread::waitForDetached(std::chrono::milliseconds(150)))
        std::_Exit(code);
    return code;
}
