// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/domain/SnapshotNames.h"

#include "core/base/EnumTable.h"
#include "core/base/Sentences.h"
#include "core/domain/Session.h"

#include <QLocale>

namespace lockscope {

using namespace Qt::StringLiterals;

bool isPrepared(const Snapshot& snapshot, SessionId id)
{
    return id.value <= 0 && snapshot.engine == Engine::Postgres;
}

QString preparedLiteral(const Snapshot& snapshot, SessionId id)
{
    static const QString statement = u"PREPARE TRANSACTION "_s;
    const Session* session = isPrepared(snapshot, id) ? snapshot.session(id) : nullptr;
    return session && session->statement.startsWith(statement) ? session->statement.mid(statement.size())
                                                               : QString();
}

QString sessionName(const Snapshot& snapshot, SessionId id)
{
    if (!isPrepared(snapshot, id))
        return QString::number(id.value);
    const QString literal = preparedLiteral(snapshot, id);
    return literal.isEmpty() ? u"a prepared transaction"_s : u"prepared "_s + literal;
}

QString sessionTitle(const Snapshot& snapshot, SessionId id)
{
    const Session* session = isPrepared(snapshot, id) ? nullptr : snapshot.session(id);
    const QString name = sessionName(snapshot, id);
    return session && !session->program.isEmpty() ? name + u' ' + session->program : name;
}

QString sessionNames(const Snapshot& snapshot, const std::vector<SessionId>& ids)
{
    QStringList names;
    for (const SessionId id : ids) {
        if (names.size() == maxNamesInList)
            break;
        names << sessionName(snapshot, id);
    }
    return namesAndMore(names, static_cast<qsizetype>(ids.size()));
}

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
    return nameList(textOfEach(sessions, [&](SessionId session) { return sessionName(snapshot, session); }));
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

QString sessionStateName(SessionState state)
{
    static constexpr EnumTable<SessionState> names({u"unknown", u"active", u"idle", u"idle in transaction",
        u"idle in failed transaction", u"rolling back", u"background", u"hidden"});
    return names[state].toString();
}

QString byteCountText(qint64 bytes)
{
    return QLocale::c().formattedDataSize(bytes, 1, QLocale::DataSizeTraditionalFormat);
}

} // namespace lockscope
