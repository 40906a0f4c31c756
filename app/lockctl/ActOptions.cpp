// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lockctl/ActOptions.h"

#include "app/lockctl/CommandLine.h"

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

} // namespace lockscope::ctl
