// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

#include <initializer_list>
#include <utility>

namespace lockscope::test {

/// Makes snapshots by hand:
///
///     SnapshotBuilder s;
///     s.session(51, "billing").idleInTransaction(360).running("UPDATE orders …");
///     s.holds(51, "public.orders", "RowExclusiveLock", 300);
///     s.waits(63, "public.orders", "AccessExclusiveLock", 41);
///     s.entry("nightly", "ann").lease(600, 700).queue("bob", 20);
///     model.showSnapshot(s.take());
///
/// Ages are in seconds before the time of the snapshot. Waits follow from the requests, as on a server.
class SnapshotBuilder {
public:
    class SessionLine {
    public:
        explicit SessionLine(lockscope::Session& session, ServerTime now)
            : m_session(session)
            , m_now(now)
        {
        }
        SessionLine& idleInTransaction(int age)
        {
            m_session.state = SessionState::IdleInTransaction;
            return transaction(age);
        }
        SessionLine& transaction(int age)
        {
            m_session.transactionStarted = m_now - std::chrono::seconds(age);
            return *this;
        }
        SessionLine& running(const char* statement)
        {
            m_session.statement = QString::fromUtf8(statement);
            return *this;
        }
        SessionLine& user(const char* name, const char* host = "app01")
        {
            m_session.user = QString::fromUtf8(name);
            m_session.host = QString::fromUtf8(host);
            return *this;
        }
        SessionLine& idle()
        {
            m_session.state = SessionState::Idle;
            return *this;
        }
        SessionLine& own()
        {
            m_session.own = true;
            return *this;
        }
        SessionLine& system()
        {
            m_session.system = true;
            m_session.state = SessionState::Background;
            return *this;
        }

    private:
        lockscope::Session& m_session;
        ServerTime m_now;
    };

    class EntryLine {
    public:
        EntryLine(SnapshotBuilder& builder, size_t index)
            : m_builder(builder)
            , m_index(index)
        {
        }
        /// Taken `age` seconds ago for `length` seconds: stale if age > length.
        EntryLine& lease(int length, int age)
        {
            LockTableEntry& entry = m_builder.m_snapshot.entries[m_index];
            entry.acquiredAt = m_builder.m_snapshot.takenAt - std::chrono::seconds(age);
            entry.expiresAt = entry.acquiredAt + std::chrono::seconds(length);
            return *this;
        }
        /// A row of a framework's table, with its text about the holder.
        EntryLine& of(const FrameworkMatchPtr& framework, const char* table, const char* text,
            const HolderLife& life = {})
        {
            LockTableEntry& entry = m_builder.m_snapshot.entries[m_index];
            entry.framework = framework;
            entry.table = QString::fromUtf8(table);
            entry.holderText = QString::fromUtf8(text);
            entry.party = {};
            entry.fencing = 0;
            entry.token.clear();
            entry.holderLife = life;
            return *this;
        }
        /// Its time is a client's local time: only the stored text is known.
        EntryLine& stored(const QStringList& values)
        {
            LockTableEntry& entry = m_builder.m_snapshot.entries[m_index];
            entry.stored = values;
            entry.acquiredAt = {};
            return *this;
        }
        EntryLine& queue(const char* owner, int waitedFor)
        {
            m_builder.queue(m_builder.m_snapshot.entries[m_index].name, owner, waitedFor);
            return *this;
        }

    private:
        SnapshotBuilder& m_builder;
        size_t m_index;
    };

    explicit SnapshotBuilder(int secondsLater = 0)
    {
        m_snapshot.takenAt = start() + std::chrono::seconds(secondsLater);
        m_snapshot.server = QStringLiteral("shop@db1");
        m_snapshot.serverVersion = QStringLiteral("PostgreSQL 15.14");
    }

    /// 2026-11-21 03:12:07 UTC
    static ServerTime start() { return {1'795'230'727'000'000}; }
    static ServerTime at(int second) { return start() + std::chrono::seconds(second); }

    SessionLine session(int id, const char* program)
    {
        lockscope::Session session;
        session.id = SessionId{id};
        session.started = start() - std::chrono::hours(1) + std::chrono::seconds(id);
        session.state = SessionState::Active;
        session.user = QStringLiteral("shop");
        session.database = QStringLiteral("shop");
        session.program = QString::fromUtf8(program);
        session.host = QStringLiteral("app01");
        m_snapshot.sessions.push_back(session);
        return SessionLine(m_snapshot.sessions.back(), m_snapshot.takenAt);
    }

    SnapshotBuilder& sessions(std::initializer_list<std::pair<int, const char*>> programs)
    {
        for (const auto& [id, program] : programs)
            session(id, program);
        return *this;
    }

    SnapshotBuilder& holds(int id, const char* resource, const char* mode, int age, bool exact = false,
        ResourceKind kind = ResourceKind::Relation)
    {
        return request(id, resource, mode, age, exact, kind, RequestState::Granted);
    }
    SnapshotBuilder& waits(
        int id, const char* resource, const char* mode, int age, ResourceKind kind = ResourceKind::Relation)
    {
        return request(id, resource, mode, age, true, kind, RequestState::Waiting);
    }

    EntryLine entry(const char* name, const char* owner)
    {
        LockTableEntry entry;
        entry.table = QStringLiteral("lockscope.lock_entry");
        entry.name = QString::fromUtf8(name);
        entry.fencing = 100 + static_cast<qint64>(m_snapshot.entries.size());
        entry.token = QStringLiteral("token-of-%1").arg(entry.name);
        entry.acquiredAt = m_snapshot.takenAt - std::chrono::seconds(60);
        entry.party = party(owner);
        m_snapshot.entries.push_back(entry);
        return {*this, m_snapshot.entries.size() - 1};
    }

    /// Adds a waiter to the queue of a name, held or not.
    SnapshotBuilder& queue(const QString& name, const char* owner, int waitedFor)
    {
        LockTableWaiter waiter;
        waiter.table = QStringLiteral("lockscope.lock_entry");
        waiter.name = name;
        waiter.ticket = ++m_ticket;
        waiter.registeredAt = m_snapshot.takenAt - std::chrono::seconds(waitedFor);
        waiter.expiresAt = m_snapshot.takenAt + std::chrono::seconds(30);
        waiter.party = party(owner);
        m_snapshot.entryWaiters.push_back(waiter);
        return *this;
    }

    /// Makes a resource that was named before a framework's.
    SnapshotBuilder& belongs(const char* resource, const FrameworkMatchPtr& framework)
    {
        for (Resource& one : m_snapshot.resources) {
            if (one.name == QLatin1String(resource))
                one.framework = framework;
        }
        return *this;
    }
    SnapshotBuilder& unread(const UnreadTable& table)
    {
        m_snapshot.unreadTables.push_back(table);
        return *this;
    }

    SnapshotBuilder& limitation(Limitation::Kind kind, const char* what, const char* remedy)
    {
        m_snapshot.limitations.push_back({kind, QString::fromUtf8(what), QString::fromUtf8(remedy)});
        return *this;
    }

    /// What the next take() gives, for anything else that a test changes of it.
    Snapshot& made() { return m_snapshot; }

    SnapshotPtr take()
    {
        auto snapshot = std::make_shared<Snapshot>(m_snapshot);
        snapshot->index();
        snapshot->waits = computeWaits(*snapshot);
        return snapshot;
    }

private:
    SnapshotBuilder& request(int id, const char* resource, const char* mode, int age, bool exact,
        ResourceKind kind, RequestState state)
    {
        LockRequest request;
        request.session = SessionId{id};
        request.sessionStarted = start() - std::chrono::hours(1) + std::chrono::seconds(id);
        request.resource = resourceIndex(QString::fromUtf8(resource), kind);
        request.mode = LockMode::fromText(Engine::Postgres, QString::fromUtf8(mode));
        request.state = state;
        request.since = m_snapshot.takenAt - std::chrono::seconds(age);
        request.sinceExact = exact;
        m_snapshot.requests.push_back(request);
        return *this;
    }

    quint32 resourceIndex(const QString& name, ResourceKind kind)
    {
        for (quint32 i = 0; i < m_snapshot.resources.size(); ++i) {
            if (m_snapshot.resources[i].name == name)
                return i;
        }
        Resource resource;
        resource.key.kind = kind;
        resource.key.text = name;
        resource.database = QStringLiteral("shop");
        resource.name = name;
        resource.named = true;
        m_snapshot.resources.push_back(resource);
        return static_cast<quint32>(m_snapshot.resources.size()) - 1;
    }

    static LockOwnerInfo party(const char* owner)
    {
        return {QString::fromUtf8(owner), QStringLiteral("app02"), QStringLiteral("nightly-job"), 4711, {}};
    }

    Snapshot m_snapshot;
    qint64 m_ticket = 0;
};

} // namespace lockscope::test
