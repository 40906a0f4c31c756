// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/SnapshotNames.h"

#include "core/domain/SessionName.h"

namespace lockscope {

using namespace Qt::StringLiterals;

std::optional<Age> knownAge(ServerTime since, ServerTime until)
{
    return since.isValid() && until.isValid() ? std::optional(Age{ageOf(since, until)}) : std::nullopt;
}

QString ageText(const std::optional<ServerTime>& since, ServerTime now, bool exact)
{
    return since ? Age{ageOf(*since, now), exact}.toString() : noValue;
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
