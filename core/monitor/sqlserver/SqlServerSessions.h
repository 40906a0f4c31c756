// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/db/Statement.h"
#include "core/db/sqlserver/SqlServerFacts.h"
#include "core/domain/Session.h"

#include <QHash>
#include <QSet>
#include <QString>

#include <vector>

namespace lockscope::monitor {

/// Statement texts by the server's handles for them: each is fetched once, because a handle never changes its
/// meaning. Of a long text it is the piece in which the statement begins, known by a handle of its own: see
/// pieceOf(). Forgets what was not asked for longest when it grows too large. Poll thread only.
class StatementTexts {
public:
    /// Returns null as long as it is not known; then it is on the list of those to fetch.
    const QString* find(const QString& handle);
    /// Returns up to `count` handles to fetch now. Whatever the server answers, they are not listed again
    /// soon.
    std::vector<QString> toFetch(size_t count);
    void set(const QString& handle, const QString& text);
    /// To be called once per poll, after it.
    void endPoll();

    /// The handle of the piece of a text in which a statement begins, `start` bytes of UTF-16 from its
    /// beginning: "HANDLE", or "HANDLE@FIRST", FIRST being the number of characters before the piece.
    static QString pieceOf(const QString& handle, qint64 start);
    struct Piece {
        QString handle; ///< of the whole text
        qint64 first = 0; ///< characters before it
    };
    static Piece partsOf(const QString& piece);

    /// The part of a batch that runs: offsets as sys.dm_exec_requests gives them, in bytes of UTF-16; an end
    /// below 0 is the end of the text. Whatever the offsets, the answer is a part of the text.
    static QString statementIn(const QString& text, qint64 start, qint64 end);

private:
    struct Entry {
        QString text;
        quint64 used = 0; ///< number of the poll
        bool known = false;
    };
    static constexpr qsizetype maxTexts = 2'000;
    static constexpr quint64 askAgainAfter = 30; ///< polls, for handles that the server has not answered

    QHash<QString, Entry> m_entries;
    QHash<QString, quint64> m_asked;
    std::vector<QString> m_unknownHandles;
    quint64 m_poll = 1;
};

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

/// Details of single sessions that are requested only when they are first needed: the last command of a
/// sleeping blocker's client, and the owners of pages that are waited for. A few at once; known ones are not
/// requested again. Poll thread only.
class SqlServerDetails {
public:
    /// Sets what is going to be shown. `facts` say what this server can be asked.
    void request(const db::SqlServerFacts& facts, const SqlServerSessions& sessions,
        const std::vector<SqlServerWait>& waits);
    /// Returns look-ups for needed details that are unknown; empty in the steady state.
    std::vector<db::BatchItem> lookUps();
    void fillIn(std::vector<Session>& sessions) const;

private:
    struct InputBuffer {
        SleepingBlocker of;
        bool asked = false;
        QString text;
    };
    struct PageWait {
        SessionId session;
        SqlServerPage page;
    };

    std::vector<InputBuffer> m_inputBuffers; ///< of the blockers of this poll
    std::vector<PageWait> m_pageWaits; ///< of this poll
    QHash<SqlServerPage, QString> m_pages; ///< their tables; empty: requested, but unknown
    bool m_mayAskPages = false;
};

} // namespace lockscope::monitor
