// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/SnapshotNames.h"

#include "core/domain/SessionName.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

milliseconds ageOf(ServerTime since, ServerTime now)
{
    return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(now - since));
}

QString ageText(const std::optional<ServerTime>& since, ServerTime now, bool exact)
{
    return since ? Age{ageOf(*since, now), exact}.toString() : noValue;
}

QString momentText(ServerTime moment)
{
    if (!moment.isValid())
        return noValue;
    QString text = moment.toIsoString(); // 2026-11-21T03:12:07.123456Z
    text.replace(QLatin1Char('T'), QLatin1Char(' '));
    return text.section(QLatin1Char('.'), 0, 0).remove(QLatin1Char('Z')) + QStringLiteral(" UTC");
}

QString sessionList(const Snapshot& snapshot, const std::vector<SessionId>& sessions)
{
    QStringList names;
    for (const SessionId session : sessions)
        names << sessionName(snapshot, session);
    return nameList(names);
}

QString nameList(const QStringList& names, int most)
{
    if (names.size() <= most + 1)
        return names.join(QStringLiteral(", "));
    return u"%1 and %2 more"_s.arg(
        names.first(most).join(QStringLiteral(", ")), QString::number(names.size() - most));
}

bool isInternalKind(ResourceKind kind)
{
    switch (kind) {
    case ResourceKind::TransactionId:
    case ResourceKind::VirtualTransaction:
    case ResourceKind::SpeculativeToken:
    case ResourceKind::Database:
    case ResourceKind::Metadata:
        return true;
    default:
        return false;
    }
}

} // namespace lockscope::ui
