// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/ActAdvice.h"

#include "core/base/Sentences.h"

#include <QSettings>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

const QString localAuditKey = QStringLiteral("acts/localAudit");

} // namespace

ActAdvice askingAdvice()
{
    return {AgeLevel::Normal, u"Asking the server what you may do here…"_s, {}, {}, true, false};
}

ActAdvice adviceOn(const Result<admin::ActRights>& rights, ActOn what, const QString& localAudit)
{
    using Audit = admin::ActRights::Audit;
    if (!rights) {
        const bool isRefusal = rights.error().kind == ErrorKind::Permission;
        return {AgeLevel::Amber, u"What you may do here could not be found out."_s,
            sentences({rights.error().what, rights.error().detail, rights.error().hint}), {}, !isRefusal,
            false};
    }
    if (what == ActOn::Session && rights->mayAct == false) {
        const QString copy = u"Whoever may can run the copied statement."_s;
        return {AgeLevel::Amber, u"Your log-in may not end this session."_s,
            rights->grantToAct.isEmpty() ? sentences({rights->whyNot, copy})
                                         : sentences({copy, u"Or an administrator gives you the right:"_s}),
            rights->grantToAct, false, false};
    }
    switch (rights->audit) {
    case Audit::Open:
        return {AgeLevel::Normal, u"You may: it is recorded in the server's audit."_s, {}, {}, true, false};
    case Audit::Closed:
        return {AgeLevel::Amber, u"Your log-in may not write to the audit of this database."_s,
            u"What can't be recorded is not done. An administrator gives you the right:"_s,
            rights->grantToRecord, false, false};
    case Audit::Missing:
        break;
    }
    if (!localAudit.isEmpty())
        return {AgeLevel::Normal, u"You may: it is recorded in a file on this computer."_s,
            u"This database has no audit table. The file is %1."_s.arg(localAudit), {}, true, false};
    return {AgeLevel::Amber, u"It can't be recorded: this database has no audit table."_s,
        u"Install the schema (page Lock table), allow records in a file on this computer, or copy the "
        "statement and run it elsewhere."_s,
        {}, false, true};
}

bool allowsLocalAudit(const QSettings& settings)
{
    return settings.value(localAuditKey, false).toBool();
}

void allowLocalAudit(QSettings& settings, bool allowed)
{
    settings.setValue(localAuditKey, allowed);
}

} // namespace lockscope::ui
