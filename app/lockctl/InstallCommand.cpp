// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/Console.h"
#include "app/lockctl/Target.h"
#include "core/db/SchemaInstaller.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

int run(const CommandLine& line)
{
    const auto target = Target::toChange(line, u"install"_s);
    if (!target)
        return fail(target.error());
    const auto connection = target->connect(db::Purpose::Admin, true);
    if (!connection)
        return fail(connection.error());
    const auto report = db::installSchema(**connection);
    if (!report)
        return fail(report.error());
    const QString server = target->profile.display();
    if (line.json())
        printJson(
            QJsonObject{{u"server"_s, server}, {u"before"_s, report->before}, {u"after"_s, report->after}});
    else if (report->before == report->after)
        print(u"%1: version %2 is installed already.\n"_s.arg(server).arg(report->after));
    else
        print(u"%1: version %2 installed.\n"_s.arg(server).arg(report->after));
    return exitOk;
}

} // namespace

Command installCommand()
{
    return {u"install"_s, u"create or update Lockscope's own tables"_s, run,
        u"Creates Lockscope's own tables (lock table, audit) in the database, or brings them up to date. "
        u"Runs "
        "schema/ENGINE/install.sql; running it again changes nothing."_s};
}

} // namespace lockscope::ctl
