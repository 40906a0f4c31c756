// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/tds/DoubleClock.h"

#include <QString>

#include <map>
#include <optional>
#include <vector>

namespace lockscope::test::tds {

/// The lock table of one database: rows that are locks, and the visible queue of those who want one. Each
/// call is atomic, as the procedures of schema/sqlserver are. Not thread-safe: the server's thread.
class DoubleLockTable {
public:
    /// Who is asking, as the tables keep it.
    struct Person {
        QString owner;
        QString host;
        QString program;
        qint64 processId = 0;
        int session = 0;
    };
    struct Entry {
        QString name;
        QString token;
        qint64 fencing = 0;
        qint64 acquiredUs = 0;
        qint64 expiresUs = 0;
        Person holder;
    };
    struct Waiter {
        qint64 ticket = 0;
        QString name;
        qint64 registeredUs = 0;
        qint64 expiresUs = 0;
        Person who;
        QString token; ///< that it will use
    };
    struct Request {
        QString name;
        QString token;
        std::chrono::microseconds lease{0};
        bool waits = false; ///< queues it if it can't be granted
        /// Of a request that was queued before; counts only with its token and in its session.
        std::optional<qint64> ticket;
        Person who;
    };
    struct Outcome {
        std::optional<Entry> granted;
        std::optional<qint64> ticket; ///< of the place in the queue
        std::optional<Person> obstacle; ///< the holder, or the waiter in front of a free name
        qint64 recheckUs = 0; ///< until the obstacle ends by itself
    };
    /// How long a registration lives that its waiter doesn't renew.
    static constexpr std::chrono::microseconds waiterLife = std::chrono::seconds(10);

    explicit DoubleLockTable(DoubleClock clock)
        : m_clock(std::move(clock))
    {
    }

    /// Grants in the order of the tickets; fencing numbers grow in the order of the grants.
    Outcome acquire(const Request& request);
    /// The new end; nullopt if the row isn't the token's any more.
    std::optional<qint64> renew(const QString& name, const QString& token, std::chrono::microseconds lease);
    bool release(const QString& name, const QString& token);
    /// Its application locks go with it, so nobody waits for its places in the queues.
    void sessionEnded(int session);
    /// A waiter gives up, together with what was granted to it meanwhile.
    void leaveQueue(const QString& name, const QString& token, int session);
    /// Deletes what has expired; the rows that went.
    std::vector<Entry> purgeStale();

    /// Called after a name was freed or a lease may have ended: whoever waits may ask again.
    void onFreed(std::function<void(const QString& name)> call) { m_freed = std::move(call); }
    std::optional<Entry> entry(const QString& name) const;
    std::vector<Entry> entries() const; ///< stale ones, too
    std::vector<Waiter> waiters() const; ///< in the order of their tickets

    /// Puts a row there as an older program or another machine would have left it.
    void put(const Entry& entry);

private:
    const Waiter* firstBefore(const QString& name, std::optional<qint64> ticket) const;
    void freed(const QString& name);

    const DoubleClock m_clock;
    std::map<QString, Entry> m_entries;
    std::map<qint64, Waiter> m_waiters;
    std::function<void(const QString&)> m_freed;
    qint64 m_lastFencing = 0;
    qint64 m_lastTicket = 0;
};

} // namespace lockscope::test::tds
