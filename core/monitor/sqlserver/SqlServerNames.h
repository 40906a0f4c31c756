// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/db/sqlserver/AppLockText.h"
#include "core/db/sqlserver/SqlServerFacts.h"
#include "core/domain/Resource.h"
#include "core/domain/Snapshot.h"
#include "core/monitor/NameTable.h"

#include <deque>
#include <span>

namespace lockscope::monitor {

class SqlServerLockRows;

/// The names behind the numbers in SQL Server's lock views, in whichever database they are; each looked up
/// when first met and kept. Poll thread only.
class SqlServerNames {
public:
    /// `otherDatabases`: whether one database may be read from another (not on Azure SQL Database).
    SqlServerNames(
        const db::Dialect& dialect, quint32 ownDatabase, QString ownDatabaseName, bool otherDatabases);
    /// Sets whether lockscope.app_lock_name can be read.
    void setAppLockNamesReadable(bool readable) { m_appLockNamesReadable = readable; }

    /// A question to the server, and whose name it asks for; of no kind if it is for the names of databases.
    struct LookUp {
        db::BatchItem item;
        ResourceKey of;
    };

    /// Says what is going to be shown.
    void request(const ResourceKey& key);
    void requestDatabase(quint32 number);
    /// Returns look-ups for needed names that were never requested, a limited number at once; empty in the
    /// steady state.
    std::vector<LookUp> firstLookUps();
    /// Look-ups that may travel with the next poll.
    std::vector<LookUp> renewals();
    /// Takes the result of a look-up. A database that refuses access is left alone for a while; where a name
    /// had to be waited for, fewer are requested at once.
    void judge(const ResourceKey& of, const Result<qint64>& result);
    /// Says which names this login can't see; empty if there is no sign of that.
    QString hidden(const db::SqlServerFacts& facts) const;

    /// Completes the cut names of Lockscope's own application locks from the lock table in `snapshot`: of the
    /// names that begin alike the only one, or the only one that the lock's holder or waiters have to do
    /// with. For this poll.
    void completeOwnLocks(const SqlServerLockRows& locks, const Snapshot& snapshot);

    quint32 ownDatabase() const { return m_ownDatabase; }
    const QHash<quint32, QString>& databases() const { return m_databases; }
    Resource resource(const ResourceKey& key);
    /// A transaction that stands for these rows and keys (optimized locking) is named after them.
    void nameTransaction(Resource& resource, std::span<const ResourceKey> underlying);

private:
    using Clock = std::chrono::steady_clock;

    /// A registered name, and whether somebody holds a lock of that name in our database.
    struct NameCandidate {
        QString name;
        bool held = false;
    };

    bool isLocal(quint32 database) const { return database == m_ownDatabase; }
    void addQueued(std::vector<LookUp>& lookUps);
    bool isClosed(quint32 database) const;
    std::optional<db::BatchItem> lookUp(const ResourceKey& entity);
    const db::Statement* statementFor(const ResourceKey& entity);
    LookUp databasesItem();
    const QString* entityName(const ResourceKey& key);
    void nameAppLock(Resource& resource);
    bool nameOwnLock(Resource& resource, const db::AppLockText& text) const;
    std::optional<QString> wholeName(const ResourceKey& key, const QString& visible);

    const db::Dialect& m_dialect;
    quint32 m_ownDatabase;
    bool m_otherDatabases;
    bool m_appLockNamesReadable = false;
    QHash<quint32, QString> m_databases;
    Clock::time_point m_databasesAsked;
    bool m_requestedDatabases = false;
    /// A database that does not let us in: until when it is left alone, and for how long the next time.
    struct Closed {
        Clock::time_point until;
        std::chrono::seconds next{60};
    };
    QHash<quint32, Closed> m_closed;
    size_t m_atOnce = 25; ///< look-ups in one round trip
    QSet<quint32> m_unnamed; ///< databases with a name that was requested and is unknown
    QSet<ResourceKey> m_neededKeys;
    std::deque<ResourceKey> m_queue; ///< needed, not requested yet
    QHash<ResourceKey, QString> m_ownLocks; ///< whole lock-table names
    NameTable<ResourceKey> m_entities; ///< by kind, database and number
    QHash<ResourceKey, std::vector<NameCandidate>> m_foundAppLocks; ///< of look-ups that are under way
    NameTable<ResourceKey, std::vector<NameCandidate>>
        m_appLocks; ///< by database and visible part of the name
    std::unordered_map<std::string, std::unique_ptr<db::Statement>>
        m_statements; ///< filled in, by path and database
};

} // namespace lockscope::monitor
