// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Console.h"
#include "app/lockctl/ServerOption.h"
#include "core/base/WriteFile.h"
#include "core/monitor/DetailQueries.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

int runPlan(const CommandLine& line)
{
    bool isNumber = false;
    const SessionKey session{{line.positional(0).toLongLong(&isNumber)}, {}};
    if (!isNumber || session.id.value <= 0)
        return fail(ErrorKind::BadInput, u"\"%1\" is not a session's number."_s.arg(line.positional(0)));
    const auto server = serverToRead(line);
    const auto connection = server ? server->connect(db::Purpose::Monitor) : Failure(server.error());
    const auto plan =
        connection ? monitor::statementPlan(**connection, session) : Failure(connection.error());
    if (!plan)
        return fail(plan.error());
    const QString path = line.value(u"out"_s);
    if (!path.isEmpty()) {
        if (const auto written = writeFile(path, plan->toUtf8()); !written) {
            complain(written.error().toString());
            return exitFailed;
        }
    }
    if (line.json())
        printJson(QJsonObject{{u"session"_s, session.id.value}, {u"file"_s, path},
            {u"plan"_s, path.isEmpty() ? *plan : QString()}});
    else if (!path.isEmpty())
        sayLine(u"The plan of session %1 is in %2."_s.arg(session.id.value).arg(path));
    else if (isTerminal(Stream::Out))
        say(*plan + u'\n');
    else
        print(*plan + u'\n');
    return exitOk;
}

} // namespace

Command planCommand()
{
    Command command(u"plan"_s, u"the plan by which a session's statement runs"_s, runPlan,
        u"Prints the plan by which a session's statement runs, as XML; saved as NAME.sqlplan, other tools draw it. SQL Server only. Says why if there is none."_s);
    command.arguments = u"SESSION"_s;
    command.examples = {u"lockctl plan 63 --out slow.sqlplan"_s};
    command.addValue(u"out"_s, u"FILE"_s, u"Write it there."_s);
    return command;
}

} // namespace lockscope::ctl
