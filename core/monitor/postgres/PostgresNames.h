// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Backoff.h"
#include "core/db/Connection.h"
#include "core/db/Server.h"
#include "core/domain/Resource.h"
#include "core/monitor/NameTable.h"

#include <QHash>
#include <QSet>

#include <chrono>
#include <optional>

namespace lockscope::monitor {

/// The names of tables of other databases, which PostgreSQL gives only there: looked up by a connection to
/// that database, opened for one question and closed at once. Only for what is asked for, at most one
/// connection per call, each name once; a database that could not be asked is left alone for a while, one
/// that refused the login for good. Poll thread only.
class PostgresForeignNames {
public:
    struct Key {
        quint32 database = 0;
        quint32 relation = 0;

        bool operator==(const Key&) const = default;
    };
    friend size_t qHash(const Key& key, size_t seed = 0)
    {
        return qHashMulti(seed, key.database, key.relation);
    }

    /// Returns the database to ask now, of those with an unknown one of `keys`; 0: none.
    quint32 next(const QSet<Key>& keys) const;
    /// Asks it, by its name, for those of `keys` that are its. Blocks for a login and a round trip, for at
    /// most two seconds each.
    void ask(const db::Server& server, quint32 database, const QString& name, const QSet<Key>& keys);
    /// It can't be asked at present.
    void leaveAlone(quint32 database, bool forGood = false);
    /// Returns null as long as nothing is known.
    const QString* find(const Key& key) const;

private:
    using Clock = std::chrono::steady_clock;
    struct Pause {
        Backoff backoff;
        Clock::time_point until;
        bool isForGood = false;
    };
    bool rests(quint32 database) const;

    QHash<Key, QString> m_names; ///< empty: there is no such table
    QHash<quint32, Pause> m_pauses;
};

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
    std::vector<db::BatchItem> firstLookUps(const RequestedNames& requested) { return lookUps(&requested); }
    /// Look-ups that may travel with the next poll.
    std::vector<db::BatchItem> renewals() { return lookUps(nullptr); }

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

    std::vector<db::BatchItem> lookUps(const RequestedNames* requested); ///< null: again
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
