// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/Backoff.h"
#include "core/db/Server.h"

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

} // namespace lockscope::monitor
