// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/postgres/PostgresSessions.h"

namespace lockscope::monitor {

using namespace Qt::StringLiterals;

namespace {

namespace activityColumn {
enum {
    Pid,
    BackendStart,
    State,
    Role,
    Database,
    ApplicationName,
    ClientHostName,
    ClientAddress,
    ClientPort,
    Query,
    WaitEventType,
    WaitEvent,
    StateChange,
    TransactionStart,
    QueryStart,
    LeaderPid,
    BackendType,
    SafeSnapshotAfter,
    TransactionId,
    OldestSeen,
};
}

SessionState stateOf(const QString& text)
{
    static const QHash<QString, SessionState> states{
        {u"active"_s, SessionState::Active},
        {u"fastpath function call"_s, SessionState::Active},
        {u"idle"_s, SessionState::Idle},
        {u"idle in transaction"_s, SessionState::IdleInTransaction},
        {u"idle in transaction (aborted)"_s, SessionState::IdleInFailedTransaction},
    };
    return states.value(text, SessionState::Unknown);
}

/// The server has this text in place of the statements of those whose sessions we may not see.
bool isHidden(const db::Row& row)
{
    const auto utf8 = row.utf8(activityColumn::Query);
    return utf8 ? *utf8 == "<insufficient privilege>"
                : row.text(activityColumn::Query) == u"<insufficient privilege>";
}

/// Returns the name if the server looks names up, else the address.
QString hostOf(const db::Row& row)
{
    constexpr qint64 ofSocketFile = -1; // PostgreSQL documentation, view "pg_stat_activity": client_port
    if (!row.isNull(activityColumn::ClientPort) && row.int64(activityColumn::ClientPort) == ofSocketFile)
        return u"local"_s;
    return row.isNull(activityColumn::ClientHostName) ? row.text(activityColumn::ClientAddress)
                                                      : row.text(activityColumn::ClientHostName);
}

/// "{51,63}"
std::vector<SessionId> sessionsOf(const QString& array)
{
    std::vector<SessionId> sessions;
    const QString list = QString(array).remove(u'{').remove(u'}');
    for (const QString& part : list.split(u',')) {
        if (const qint64 id = part.toLongLong(); id != 0)
            sessions.push_back(SessionId{id});
    }
    return sessions;
}

} // namespace

PostgresSession PostgresSession::fromRow(const db::Row& row, bool withStatements, SessionId own)
{
    PostgresSession result;
    result.role = static_cast<quint32>(row.int64(activityColumn::Role));
    result.database = static_cast<quint32>(row.int64(activityColumn::Database));
    Session& session = result.session;
    session.id = result.id = SessionId{row.int64(activityColumn::Pid)};
    session.started = row.time(activityColumn::BackendStart);
    session.program = row.text(activityColumn::ApplicationName);
    session.host = hostOf(row);
    session.address =
        row.isNull(activityColumn::ClientHostName) ? session.host : row.text(activityColumn::ClientAddress);
    session.own = session.id == own || session.program.startsWith(u"lockscope monitor")
        || session.program.startsWith(u"lockscope admin");
    if (isHidden(row)) {
        session.state = SessionState::Hidden;
        session.statementVisible = false;
        session.system = result.role == 0;
        return result;
    }
    // A server process shows its type where a client shows its program.
    session.system = !row.isNull(activityColumn::BackendType);
    if (session.system && session.program.isEmpty())
        session.program = row.text(activityColumn::BackendType);
    session.state = session.system && row.isNull(activityColumn::State)
        ? SessionState::Background
        : stateOf(row.text(activityColumn::State));
    if (withStatements)
        session.statement = row.text(activityColumn::Query);
    if (!row.isNull(activityColumn::WaitEvent)) {
        const QString event = row.text(activityColumn::WaitEvent);
        session.waitEvent = row.text(activityColumn::WaitEventType) + u": "_s + event;
        result.waitsForSafeSnapshot = event == u"SafeSnapshot";
    }
    session.stateSince = row.optionalTime(activityColumn::StateChange);
    session.transactionStarted = row.optionalTime(activityColumn::TransactionStart);
    session.statementStarted = row.optionalTime(activityColumn::QueryStart);
    session.leader = SessionId{row.int64(activityColumn::LeaderPid)};
    if (!row.isNull(activityColumn::TransactionId))
        session.transactionId = row.int64(activityColumn::TransactionId);
    if (!row.isNull(activityColumn::OldestSeen))
        result.oldestSeen = static_cast<quint32>(row.int64(activityColumn::OldestSeen));
    if (!row.isNull(activityColumn::SafeSnapshotAfter))
        result.safeSnapshotAfter = sessionsOf(row.text(activityColumn::SafeSnapshotAfter));
    return result;
}

/// Computes it as the server's age(): transaction ids go round in a circle.
std::optional<qint64> PostgresSession::snapshotAge(quint32 next) const
{
    return oldestSeen ? std::optional<qint64>(static_cast<qint32>(next - *oldestSeen)) : std::nullopt;
}

Session preparedSession(SessionId id, const PostgresNames::Prepared* known)
{
    Session session;
    session.id = id;
    session.state = SessionState::IdleInTransaction;
    session.program = u"prepared transaction"_s;
    if (known) {
        session.started = known->at;
        session.user = known->owner;
        session.database = known->database;
        session.statement = u"PREPARE TRANSACTION '%1'"_s.arg(QString(known->gid).replace(u'\'', u"''"_s));
        session.stateSince = known->at;
    }
    return session;
}

} // namespace lockscope::monitor
