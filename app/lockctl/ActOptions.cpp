// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/ActOptions.h"

#include "app/lockctl/CommandLine.h"
#include "app/lockctl/Console.h"

namespace lockscope::ctl {

using namespace Qt::StringLiterals;

namespace {

const QString& localAudit()
{
    static const QString option = u"local-audit"_s;
    return option;
}

} // namespace

void addActOptions(Command& command, const QString& reasonByDefault)
{
    command.addValue(u"reason"_s, u"TEXT"_s, u"Why, for the audit."_s, reasonByDefault);
    command.addFlag(localAudit(),
        u"If the database has no audit table, record it in a file on this computer; else it is refused."_s);
}

void applyActOptions(admin::ServerAdmin& admin, const CommandLine& line)
{
    if (line.has(localAudit()))
        admin.recordLocally(admin::LocalAudit());
}

QStringList firedText(const admin::FiredCode& fired)
{
    QStringList lines;
    if (!fired.runs.isEmpty())
        lines << u"This also runs code of the database: "_s + printable(fired.runs.join(u", "_s));
    if (fired.isLeftAlone)
        lines << u"Left alone, since others' code could run with your rights: "_s
                + printable(fired.strangers.join(u"; "_s));
    return lines;
}

void addFired(QJsonObject& json, const admin::FiredCode& fired)
{
    json[u"runs"_s] = QJsonArray::fromStringList(fired.runs);
    json[u"strangers"_s] = QJsonArray::fromStringList(fired.strangers);
}

} // namespace lockscope::ctl
