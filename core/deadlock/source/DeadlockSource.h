// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Result.h"
#include "core/base/ServerTime.h"
#include "core/deadlock/Deadlock.h"

#include <QHash>
#include <QList>
#include <QStringList>

#include <optional>
#include <stop_token>

namespace lockscope::db {
class Connection;
}

/// A server's own records of its deadlocks: its log, its event files, its counter.
namespace lockscope::deadlock {

/// The result of one poll of a server's own records. A value; any thread.
struct SourcePoll {
    /// Reports not given before, in the order of the source; with waits
    /// (ReportKind::Blocked).
    QList<ReportPtr> reports;
    /// Deadlocks since the first poll, by the server's own counter, which may come some seconds behind its
    /// records. Nothing: it can't be read.
    std::optional<qint64> counted;
    bool countedIsAtLeast = false; ///< the counter was reset meanwhile (said in `limits`): there may be more
    /// Deadlocks (not reports) since the first poll whose report was read; without the earlier ones that
    /// `since` of DeadlockPoller::makeSource included: "3 counted, 1 captured".
    qint64 captured = 0;
    QString origin; ///< "PostgreSQL's log (jsonlog)", "event files of system_health"; empty: no source, or
                    ///< one that tells of no deadlock
    /// Sentences say what can't be read and why, with the GRANT or setting that would help, and name gaps.
    QStringList limits;
    /// There is more to read, left to keep the poll small, or something is not yet written to its end: poll
    /// again soon.
    bool isMoreToRead = false;
    qint64 bytesRead = 0; ///< by this poll
    microseconds serverTime{0}; ///< the poll's cost there, as far as the server gives it; else 0
    microseconds clientTime{0}; ///< from the first question to the last answer, the reading of it included
    int roundTrips = 0;

    bool operator==(const SourcePoll&) const = default;
};

/// Reads a server's own records of its deadlocks, on from where it ended the last time. Of one thread: that
/// of its connection, which must outlive it or be replaced.
class DeadlockSource {
public:
    virtual ~DeadlockSource() = default;
    Q_DISABLE_COPY_MOVE(DeadlockSource)

    /// Reads on, but no more than some megabytes. An error is about the connection or a time limit, and then
    /// nothing is lost: the next poll reads the same again. Records that the role may not read are listed in
    /// SourcePoll::limits.
    virtual Result<SourcePoll> poll(const std::stop_token& stop = {}) = 0;

    /// After a loss: takes another connection to the same server. The next poll reads on from where the last
    /// ended.
    void replaceConnection(db::Connection& connection)
    {
        m_connection = &connection;
        connectionReplaced();
    }

protected:
    explicit DeadlockSource(db::Connection& connection)
        : m_connection(&connection)
    {
    }
    db::Connection& connection() const { return *m_connection; }
    /// Forgets what belonged to the connection, such as rights.
    virtual void connectionReplaced() { }

private:
    db::Connection* m_connection;
};

/// Adds up a server's own counters from the first time on. A counter that fell back, or says that it was
/// reset, counts from zero again: nothing is subtracted, and the sum is a lower bound from then on.
class DeadlockCounter {
public:
    struct Value {
        qint64 key = 0; ///< which counter: a database
        QString name; ///< for sentences: "database shop"
        qint64 total = 0;
        std::optional<ServerTime> resetAt{}; ///< by the server's own word
    };
    /// All counters there are now. One that was not there before counts from zero: its database is new.
    void take(const QList<Value>& values);

    bool isKnown() const { return m_isKnown; }
    qint64 counted() const { return m_counted; } ///< since the first take()
    bool isAtLeast() const { return !m_resets.isEmpty(); }
    QStringList resets() const; ///< sentences, one for each counter that was reset

private:
    bool m_isKnown = false;
    qint64 m_counted = 0;
    QHash<qint64, Value> m_last;
    QHash<qint64, QString> m_resets;
};

} // namespace lockscope::deadlock
