// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Statement.h"
#include "core/domain/Session.h"
#include "core/monitor/StatementTexts.h"

#include <QHash>
#include <QSet>

#include <vector>

namespace lockscope::monitor {

/// A row of sqlserver/monitor/waiting_tasks, or the same from sys.dm_exec_requests.
struct SqlServerWait {
    SessionId session;
    SessionId blocker; ///< invalid if unknown; below zero: no session, see SqlServerSessions::serverParty
    microseconds lasting{0};
    QString type; ///< "LCK_M_X", "PAGELATCH_EX"
    qint64 address = 0; ///< of the lock request that waits; 0 if unknown
    QString description;
    bool fromTask = true; ///< false: `description` is a wait_resource of sys.dm_exec_requests
};

/// A session that holds up others and runs nothing: what it did last, it did before `since`.
struct SleepingBlocker {
    SessionKey session;
    ServerTime since;

    bool operator==(const SleepingBlocker&) const = default;
};

/// A page of a data file, by the server's numbers.
struct SqlServerPage {
    quint32 database = 0;
    quint32 file = 0;
    quint32 page = 0;

    bool operator==(const SqlServerPage&) const = default;
};
inline size_t qHash(const SqlServerPage& page, size_t seed = 0) noexcept
{
    return qHashMulti(seed, page.database, page.file, page.page);
}

/// Sessions, with the columns of further views: each view may be missing or closed to us.
class SqlServerSessions {
public:
    void addSession(const db::Row& row); ///< of sqlserver/monitor/sessions
    void addRequest(const db::Row& row); ///< of sqlserver/monitor/requests
    void addConnection(const db::Row& row); ///< of sqlserver/monitor/connections
    void addTransaction(const db::Row& row); ///< of sqlserver/monitor/transactions

    /// The blockers among the requests: what is left where sys.dm_os_waiting_tasks is closed to us.
    std::vector<SqlServerWait> waitsOfRequests() const;
    /// Returns the resource that the session's request waits for, in the words of sys.dm_exec_requests; empty
    /// if it has none.
    QString waitResource(SessionId session) const;
    /// Returns the sleeping sessions among the blockers of these waits.
    std::vector<SleepingBlocker> sleepingBlockers(const std::vector<SqlServerWait>& waits) const;
    /// Returns the sessions that wait for a latch, each with its page.
    std::vector<std::pair<SessionId, SqlServerPage>> latchedPages() const;
    /// Numbers of the sessions' databases.
    QSet<quint32> databases() const;

    /// Puts the statements that sessions() will ask for on the list of those to fetch.
    void requestTexts(StatementTexts& texts) const;
    /// `texts`: null leaves the statements out.
    std::vector<Session> sessions(
        SessionId own, const QHash<quint32, QString>& databaseNames, StatementTexts* texts) const;

    /// Returns the start of a transaction, by its id.
    std::optional<ServerTime> transactionBegin(qint64 transaction) const;

    /// Makes a session for a blocker that is none: orphaned distributed transactions (-2, or as orphanId()
    /// names them), deferred recovery (-3), latches (-4, -5).
    static Session serverParty(SessionId id, const QString& unitOfWork);

private:
    struct Base {
        Session session;
        QString status;
        quint32 database = 0;
        qint64 openTransactions = 0;
        ServerTime lastRequestStart;
        std::optional<ServerTime> lastRequestEnd;
        qint64 isolation = 0;
    };
    struct Request {
        QString status;
        QString command;
        std::optional<ServerTime> started;
        QString waitType;
        microseconds waited{0};
        QString waitResource;
        SessionId blocker;
        double percent = 0;
        milliseconds left{0};
        QString handle;
        qint64 start = 0;
        qint64 end = -1;
        qint64 openTransactions = 0;
        qint64 isolation = 0;
        qint64 memoryGrant = 0; ///< bytes
        SessionWork work;
    };
    struct SeenConnection {
        QString handle;
        QString address;
    };
    struct Transaction {
        std::optional<ServerTime> began;
        bool rollingBack = false;
        std::optional<qint64> logUsed;
    };

    const Request* requestOf(SessionId session) const; ///< null if it has none
    void describe(Session& session, const Base& base, const Request* request) const;
    void addFigures(Session& session, const Base& base, const Request* request) const;
    QString textOf(SessionId session, const Request* request) const;
    QString statementOf(SessionId session, const Request* request, StatementTexts& texts) const;

    std::vector<Base> m_sessions;
    QHash<SessionId, Request> m_requests;
    QHash<SessionId, SeenConnection> m_connections;
    QHash<SessionId, Transaction> m_transactions;
    QHash<qint64, ServerTime> m_begins;
};

} // namespace lockscope::monitor
