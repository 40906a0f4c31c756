// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/SnapshotNames.h"

#include "core/domain/SessionName.h"

namespace lockscope {

using namespace Qt::StringLiterals;

milliseconds ageOf(ServerTime since, ServerTime now)
{
    return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(now - since));
}

QString ageText(const std::optional<ServerTime>& since, ServerTime now, bool exact)
{
    return since ? Age{ageOf(*since, now), exact}.toString() : noValue;
}

QString dateTimeText(ServerTime moment)
{
    if (!moment.isValid())
        return noValue;
    QString text = moment.toIsoString(); // 2026-11-21T03:12:07.123456Z
    text.replace(QLatin1Char('T'), QLatin1Char(' '));
    return text.section(QLatin1Char('.'), 0, 0).remove(QLatin1Char('Z')) + QStringLiteral(" UTC");
}

QString sessionList(const Snapshot& snapshot, std::span<const SessionId> sessions)
{
    QStringList names;
    for (const SessionId session : sessions)
        names << sessionName(snapshot, session);
    return nameList(names);
}

QString partyName(const LockOwnerInfo& party)
{
    QStringList parts{party.owner, party.program};
    parts.removeAll(QString());
    QString name = parts.join(u", "_s);
    if (!party.host.isEmpty())
        name = (name.isEmpty() ? u"somebody"_s : name) + u" on "_s + party.host;
    return name.isEmpty() ? u"unknown"_s : name;
}

QString partyProcessName(const LockOwnerInfo& party)
{
    return party.processId > 0 ? u"%1 (process %2)"_s.arg(partyName(party), QString::number(party.processId))
                               : partyName(party);
}

QString nameList(const QStringList& names, int maximum)
{
    if (names.size() <= maximum + 1)
        return names.join(QStringLiteral(", "));
    return u"%1 and %2 more"_s.arg(
        names.first(maximum).join(QStringLiteral(", ")), QString::number(names.size() - maximum));
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

} // namespace lockscope
