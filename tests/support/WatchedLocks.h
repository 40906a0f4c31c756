// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/order/OrderTable.h"
#include "tests/support/SnapshotBuilder.h"
#include "tests/support/TestProgram.h"

namespace lockscope::test {

/// A server that is polled each second. A session's locks stay until done().
class Watched {
public:
    struct Lock {
        int session;
        QByteArray name;
        QByteArray mode;
        ResourceKind kind;
        bool isWaitedFor;
    };

    Watched& takes(int session, const char* name, const char* mode = "AccessExclusiveLock",
        ResourceKind kind = ResourceKind::Relation)
    {
        m_locks.push_back({session, name, mode, kind, false});
        return *this;
    }
    Watched& waitsFor(int session, const char* name, const char* mode = "AccessExclusiveLock",
        ResourceKind kind = ResourceKind::Relation)
    {
        m_locks.push_back({session, name, mode, kind, true});
        return *this;
    }
    /// The same for a name.
    Watched& takesName(int session, const char* name)
    {
        return takes(session, name, "ExclusiveLock", ResourceKind::ApplicationLock);
    }
    Watched& done(int session)
    {
        std::erase_if(m_locks, [session](const Lock& lock) { return lock.session == session; });
        m_transactions.erase(session);
        return *this;
    }
    /// The locks stay, and belong to another transaction from now on.
    Watched& otherTransaction(int session)
    {
        m_transactions[session] = m_second + 1;
        return *this;
    }
    Watched& writes(int session)
    {
        m_writers.insert(session);
        return *this;
    }
    /// It is unknown which transaction the session is in, or it is in none.
    Watched& withoutTransaction(int session)
    {
        m_transactions[session] = unknown;
        return *this;
    }
    /// The next transactions begin while the poll is read.
    Watched& beginsDuringPoll(int session)
    {
        m_transactions[session] = m_second + 1;
        m_pollTakes = microseconds(1'000);
        return *this;
    }
    Watched& addPoll(bool isComplete = true)
    {
        SnapshotBuilder snapshot(++m_second);
        std::set<int> sessions;
        for (const Lock& lock : m_locks)
            sessions.insert(lock.session);
        for (const int session : sessions) {
            const int began = m_transactions.try_emplace(session, m_second).first->second;
            auto line = snapshot.session(session, "shop").running("UPDATE …");
            if (began != unknown)
                line.transaction(m_second - began);
        }
        for (const Lock& lock : m_locks) {
            if (lock.isWaitedFor)
                snapshot.waits(lock.session, lock.name, lock.mode, 0, lock.kind);
            else
                snapshot.holds(lock.session, lock.name, lock.mode, 0, false, lock.kind);
        }
        auto taken = std::make_shared<Snapshot>(*snapshot.take());
        for (Session& session : taken->sessions)
            if (m_writers.contains(int(session.id.value)))
                session.transactionId = 700 + session.id.value;
        for (LockRequest& request : taken->requests)
            if (taken->resourceOf(request).key.kind == ResourceKind::ApplicationLock)
                request.owner = LockOwner::Other; // as PostgreSQL shows them
        taken->cost.server = m_pollTakes;
        if (!isComplete)
            taken->limitations.push_back({Limitation::Kind::CappedRows, {}, {}, 1, 2, true});
        m_order.add(SnapshotPtr(taken));
        m_polls << taken;
        return *this;
    }

    QStringList titles(order::Guarded guarded = order::Guarded::LeftOut) const
    {
        return textsOf(found(guarded), &order::PotentialDeadlock::title);
    }
    QList<order::PotentialDeadlock> found(order::Guarded guarded = order::Guarded::LeftOut) const
    {
        return order::potentialDeadlocks(m_order.order(), guarded).all;
    }
    const order::LockOrder& order() const { return m_order.order(); }
    const order::TransactionCounts& transactions() const { return m_order.transactions(); }
    const QList<SnapshotPtr>& polls() const { return m_polls; }

private:
    static constexpr int unknown = -1;
    order::OrderOfSnapshots m_order;
    microseconds m_pollTakes{0};
    QList<SnapshotPtr> m_polls;
    std::vector<Lock> m_locks;
    std::map<int, int> m_transactions;
    std::set<int> m_writers;
    int m_second = 0;
};

/// A session takes these, with a poll after each, and releases them.
inline void goThrough(Watched& server, int session, std::initializer_list<const char*> locks,
    const char* mode = "AccessExclusiveLock", ResourceKind kind = ResourceKind::Relation)
{
    for (const char* lock : locks)
        server.takes(session, lock, mode, kind).addPoll();
    server.done(session).addPoll();
}

} // namespace lockscope::test
