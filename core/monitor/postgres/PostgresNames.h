// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/Connection.h"
#include "core/domain/Resource.h"
#include "core/monitor/NameTable.h"
#include "core/monitor/postgres/PostgresForeignNames.h"

namespace lockscope::monitor {

/// The names behind the numbers of pg_locks and the sessions, each looked up when first met and kept.
/// Poll thread only.
class PostgresNames {
public:
    struct Prepared {
        QString gid;
        QString owner;
        QString database;
        ServerTime at;
    };
    struct RequestedNames {
        QSet<quint32> relations; ///< of our database, and shared ones
        QSet<quint32> databases;
        QSet<quint32> roles;
        QSet<qint64> appLocks; ///< 64-bit keys of our database
        QSet<qint64> prepared; ///< transaction ids
        QSet<ResourceKey> objects;
    };

    explicit PostgresNames(quint32 ownDatabase)
        : m_ownDatabase(ownDatabase)
    {
    }
    quint32 ownDatabase() const { return m_ownDatabase; }
    /// Sets whether lockscope.app_lock_name can be read.
    void setAppLockNamesReadable(bool readable) { m_appLockNamesReadable = readable; }

    /// Adds what a name of `key` takes, unless it was asked for before.
    void request(RequestedNames& requested, const ResourceKey& key) const;
    /// Look-ups of what was never asked for; empty in the steady state.
    std::vector<db::BatchItem> firstLookUps(const RequestedNames& requested);
    /// Look-ups that may travel with the next poll.
    std::vector<db::BatchItem> renewals();

    PostgresForeignNames& foreign() { return m_foreign; }
    QString role(quint32 oid);
    QString database(quint32 oid);
    const Prepared* prepared(qint64 transaction) { return m_prepared.find(transaction); }
    /// `holder`: whose transaction it is, for the kinds that stand for one.
    Resource resource(const ResourceKey& key, SessionId holder);

private:
    bool isLocal(const ResourceKey& key) const { return key.database == 0 || key.database == m_ownDatabase; }
    void nameRelationPart(Resource& resource);
    void nameTransaction(Resource& resource, SessionId holder);
    void nameObject(Resource& resource);
    void nameAdvisoryLock(Resource& resource);

    template <class Key>
    void lookUp(std::vector<db::BatchItem>& items, const char* path, NameTable<Key>& table,
        const std::vector<Key>& keys);
    void lookUpPrepared(std::vector<db::BatchItem>& items, const std::vector<qint64>& transactions);
    void lookUpObjects(std::vector<db::BatchItem>& items, const std::vector<ResourceKey>& objects);

    quint32 m_ownDatabase;
    bool m_appLockNamesReadable = false;
    NameTable<quint32> m_relations;
    NameTable<quint32> m_databases;
    NameTable<quint32> m_roles;
    NameTable<qint64> m_appLocks;
    NameTable<qint64, Prepared> m_prepared;
    NameTable<ResourceKey> m_objects;
    PostgresForeignNames m_foreign;
};

} // namespace lockscope::monitor
