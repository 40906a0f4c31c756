// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Console.h"
#include "app/lockctl/ReportOutput.h"
#include "app/lockctl/ServerOption.h"
#include "core/admin/LocalAudit.h"
#include "core/admin/ServerAdmin.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

int show(const Result<QList<admin::AuditRecord>>& records, const CommandLine& line)
{
    if (!records)
        return fail(records.error());
    printReport(line, toReport(*records, line.has(u"local"_s)));
    return exitOk;
}

int runAudit(const CommandLine& line)
{
    const auto limit = line.number(u"limit"_s, 1);
    if (!limit)
        return fail(limit.error());
    const int maximum = static_cast<int>(std::min<qint64>(*limit, 1'000'000));
    if (line.has(u"local"_s))
        return show(admin::LocalAudit().read(maximum), line);
    const auto server = serverToRead(line);
    const auto connection = server ? server->connect(db::Purpose::Admin) : Failure(server.error());
    if (!connection)
        return fail(connection.error());
    return show(admin::ServerAdmin(**connection, server->profile).audit(maximum), line);
}

} // namespace

Command auditCommand()
{
    Command command(u"audit"_s, u"who did what to locks and sessions, and why"_s, runAudit,
        u"Lists what was done to locks and sessions: when, by whom, from where, why, with what outcome; newest first. JSON and CSV also have the state before."_s);
    command.examples = {u"lockctl audit --limit 20"_s};
    command.addFlag(
        u"local"_s, u"The records in the file on this computer, of all servers (--local-audit)."_s);
    command.addValue(u"limit"_s, u"COUNT"_s, u"Show so many at most."_s, u"100"_s);
    addForms(command);
    return command;
}

} // namespace lockscope::ctl
