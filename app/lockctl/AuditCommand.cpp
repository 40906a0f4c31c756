// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/Command.h"
#include "app/lockctl/ServerOption.h"
#include "app/lockctl/TextTable.h"
#include "core/admin/LocalAudit.h"
#include "core/admin/ServerAdmin.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

QJsonArray recordsJson(const QList<admin::AuditRecord>& records)
{
    QJsonArray array;
    for (const admin::AuditRecord& record : records) {
        QJsonObject json{{u"id"_s, record.id}, {u"at"_s, record.at.toIsoString()}, {u"who"_s, record.who},
            {u"from"_s, record.from}, {u"act"_s, record.act}, {u"target"_s, record.target},
            {u"reason"_s, record.reason}, {u"before"_s, record.before}, {u"outcome"_s, record.outcome}};
        if (!record.server.isEmpty())
            json[u"server"_s] = record.server;
        array.append(json);
    }
    return array;
}

QString recordsText(const QList<admin::AuditRecord>& records)
{
    if (records.isEmpty())
        return u"Nothing is recorded.\n"_s;
    TextTable table({{u"ID"_s, TextTable::Fit::Right}, {u"AT"_s}, {u"WHO"_s, TextTable::Fit::Flexible},
        {u"FROM"_s, TextTable::Fit::Flexible}, {u"ACT"_s}, {u"TARGET"_s, TextTable::Fit::Flexible},
        {u"REASON"_s, TextTable::Fit::Flexible}, {u"OUTCOME"_s, TextTable::Fit::Flexible}});
    for (const admin::AuditRecord& record : records)
        table.add({QString::number(record.id),
            record.at.isValid() ? record.at.toIsoString().left(19) + u'Z' : u"?"_s, printable(record.who),
            printable(record.from), printable(record.act), printable(record.target), printable(record.reason),
            printable(record.outcome)});
    return table.lines(screenSize().columns, useColours()).join(u'\n') + u'\n';
}

int show(const Result<QList<admin::AuditRecord>>& records, const CommandLine& line)
{
    if (!records)
        return fail(records.error());
    if (line.json())
        printJson(recordsJson(*records));
    else
        print(recordsText(*records));
    return exitOk;
}

int runAudit(const CommandLine& line)
{
    const auto limit = line.number(u"limit"_s, 1);
    if (!limit)
        return fail(limit.error());
    if (line.has(u"local"_s))
        return show(admin::LocalAudit().read(static_cast<int>(std::min<qint64>(*limit, 1'000'000))), line);
    const auto server = serverToRead(line);
    if (!server)
        return fail(server.error());
    const auto connection = server->connect(db::Purpose::Admin);
    if (!connection)
        return fail(connection.error());
    return show(admin::ServerAdmin(**connection, server->profile)
                    .audit(static_cast<int>(std::min<qint64>(*limit, 1'000'000))),
        line);
}

} // namespace

Command auditCommand()
{
    Command command{u"audit"_s, u"who did what to locks and sessions, and why"_s, runAudit,
        u"Lists what was done to locks and sessions: when, by whom, from where, why, with what "
        "outcome; newest first. --json also has the state before."_s};
    command.examples = QStringList{u"lockctl audit --limit 20"_s};
    command.addFlag(u"local"_s, u"Those of the file on this computer, of all servers (--local-audit)."_s);
    command.addValue(u"limit"_s, u"COUNT"_s, u"Show so many at most."_s, u"100"_s);
    return command;
}

} // namespace lockscope::ctl
