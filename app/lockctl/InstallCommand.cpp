// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/ServerOption.h"
#include "core/db/SchemaInstaller.h"
#include "core/record/postgres/HistorySchema.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

int runInstall(const CommandLine& line)
{
    const bool isHistory = line.has(u"history"_s);
    if (line.has(u"script"_s)) {
        if (!isHistory)
            return fail(ErrorKind::BadInput, u"--script prints the script of a history."_s,
                u"Add --history; that of the lock table is schema/ENGINE/install.sql."_s);
        print(QString::fromUtf8(record::historyScript()));
        return exitOk;
    }
    const auto server = serverToChange(line, u"install"_s);
    if (!server)
        return fail(server.error());
    db::ConnectOptions options;
    options.purpose = db::Purpose::Admin;
    options.createFile = !isHistory;
    const auto connection = server->connect(options);
    if (!connection)
        return fail(connection.error());
    const QStringList adopted = line.values(u"adopt-role"_s);
    const auto report =
        isHistory ? record::installHistory(**connection, adopted) : db::installSchema(**connection, adopted);
    if (!report)
        return fail(report.error());
    const QString name = server->display();
    if (line.json())
        printJson(
            QJsonObject{{u"server"_s, name}, {u"before"_s, report->before}, {u"after"_s, report->after}});
    else if (report->before == report->after)
        print(u"%1: version %2 is installed already.\n"_s.arg(name).arg(report->after));
    else
        print(u"%1: version %2 installed.\n"_s.arg(name).arg(report->after));
    return exitOk;
}

} // namespace

Command installCommand()
{
    Command command{u"install"_s, u"create Lockscope's own tables"_s, runInstall,
        u"Creates Lockscope's own tables (lock table, audit) in the database. Runs schema/ENGINE/install.sql; running it again changes nothing. Tables of another version are refused."_s};
    command.addFlag(u"history"_s,
        u"Those of a team's history instead, for \"lockctl record --into\", in a database of PostgreSQL."_s);
    command.addValue(u"adopt-role"_s, u"NAME"_s,
        u"Use this role of the server (lockscope_operator …) although somebody else seems to have made it. May be repeated. PostgreSQL only."_s);
    command.addFlag(u"script"_s, u"With --history: print the script, and do nothing."_s);
    return command;
}

} // namespace lockscope::ctl
