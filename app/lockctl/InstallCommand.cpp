// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Console.h"
#include "app/lockctl/ServerOption.h"
#include "core/base/Sentences.h"
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
    db::ConnectOptions options;
    options.purpose = db::Purpose::Admin;
    options.createFile = !isHistory;
    const auto connection = server ? server->connect(options) : Failure(server.error());
    if (!connection)
        return fail(connection.error());
    const QStringList adopted = line.values(u"adopt-role"_s);
    const auto report =
        isHistory ? record::installHistory(**connection, adopted) : db::installSchema(**connection, adopted);
    if (!report)
        return fail(report.error());
    const QString name = server->display();
    const bool isNew = report->before != report->after;
    answer(line,
        (isNew ? u"%1: version %2 installed."_s : u"%1: version %2 is installed already."_s)
            .arg(name, QString::number(report->after)),
        {{u"server"_s, name}, {u"before"_s, report->before}, {u"after"_s, report->after}});
    return exitOk;
}

QString previewText(const QString& server, const db::UninstallPreview& preview)
{
    QString text =
        u"%1: an uninstallation removes the schema (version %2) with %3 of the lock table and %4 of the audit.\n"_s
            .arg(server)
            .arg(preview.version)
            .arg(counted(preview.entries, u"entry", u"entries"), counted(preview.auditRows, u"row"));
    if (preview.surrogateTables > 0 || preview.surrogateKeys > 0)
        text += u"With it go %1 and %2.\n"_s.arg(counted(preview.surrogateTables, u"surrogate table"),
            counted(preview.surrogateKeys, u"surrogate key"));
    text += u"Roles that an installation made go, too, unless another database uses them.\n"_s;
    text +=
        u"Fencing numbers begin again with the next installation: what remembers the highest one must forget it, or refuses new holders.\n"_s;
    if (preview.entries > 0)
        text += u"The holders of these locks lose them.\n"_s;
    if (preview.waiters > 0)
        text += u"%1 for one.\n"_s.arg(
            counted(preview.waiters, u"waiter stands in line", u"waiters stand in line"));
    return text;
}

int runUninstall(const CommandLine& line)
{
    const auto server = serverToChange(line, u"uninstall"_s);
    const auto connection = server ? server->connect(db::Purpose::Admin) : Failure(server.error());
    const auto preview = connection ? db::previewUninstall(**connection) : Failure(connection.error());
    if (!preview)
        return fail(preview.error());
    const QString name = server->display();
    QJsonObject json{{u"server"_s, name}, {u"version"_s, preview->version}, {u"entries"_s, preview->entries},
        {u"waiters"_s, preview->waiters}, {u"audit_rows"_s, preview->auditRows},
        {u"surrogate_tables"_s, preview->surrogateTables}, {u"surrogate_keys"_s, preview->surrogateKeys},
        {u"removed"_s, false}};
    if (preview->version == 0) {
        answer(line, u"%1: Lockscope's schema is not installed."_s.arg(name), json);
        return exitOk;
    }
    if (!line.json())
        print(previewText(name, *preview));
    const bool asks = !line.has(u"yes"_s) && !line.json() && isTerminal(Stream::In);
    if (!line.has(u"yes"_s) && !(asks && agreed(u"Remove all of this? [y/N] "_s))) {
        if (line.json())
            printJson(json);
        if (!asks)
            return fail(
                ErrorKind::BadInput, u"Nothing was removed."_s, u"Add --yes if all of this is to go."_s);
        print(u"Nothing was removed.\n"_s);
        return exitFailed;
    }
    if (const auto removed = db::uninstallSchema(**connection); !removed)
        return fail(removed.error());
    json[u"removed"_s] = true;
    answer(line, u"%1: removed."_s.arg(name), json);
    return exitOk;
}

} // namespace

Command installCommand()
{
    Command command(u"install"_s, u"create Lockscope's own tables"_s, runInstall,
        u"Creates Lockscope's own tables (lock table, audit) in the database. Runs schema/ENGINE/install.sql; running it again changes nothing. Tables of another version are refused."_s);
    command.addFlag(u"history"_s,
        u"The tables of a team's history instead, for \"lockctl record --into\", in a database of PostgreSQL."_s);
    command.addValue(u"adopt-role"_s, u"NAME"_s,
        u"Use this role of the server (lockscope_operator …) although somebody else seems to have made it. May be repeated. PostgreSQL only."_s);
    command.addFlag(u"script"_s, u"With --history: print the script, and do nothing."_s);
    return command;
}

Command uninstallCommand()
{
    Command command(u"uninstall"_s, u"remove them again, after telling what would go"_s, runUninstall,
        u"Removes Lockscope's own tables, views, procedures and roles from the database, with all that is in them: runs schema/ENGINE/uninstall.sql. First says what would go, and asks; a program that can't be asked needs --yes. Nothing that others put there is touched."_s);
    command.addFlag(u"yes"_s, u"Don't ask."_s);
    return command;
}

} // namespace lockscope::ctl
