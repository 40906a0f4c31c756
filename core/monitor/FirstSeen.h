// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/LockRequest.h"

#include <QHash>

#include <vector>

namespace lockscope::monitor {

/// No server records when a lock was granted: this remembers since when each was seen at every poll. That is
/// a lower bound of its age; a new transaction of the same session starts anew. Poll thread only.
class FirstSeen {
public:
    /// What of a lock, beside its resource, stays the same as long as it is there.
    struct Holding {
        SessionId session;
        quint64 transaction = 0; ///< 0: of none, so that nothing tells one holding from the next
        int mode = 0; ///< LockMode::strength()
        RequestState state = RequestState::Granted;

        bool operator==(const Holding&) const = default;
        friend size_t qHash(const Holding& holding, size_t seed = 0) noexcept
        {
            return qHashMulti(
                seed, holding.session, holding.transaction, holding.mode, static_cast<int>(holding.state));
        }
    };

    /// Begins with a poll that has about so many locks.
    void begin(size_t locks);
    /// Each lock of the poll once, those of one resource together.
    void note(const ResourceKey& resource, const Holding& holding, ServerTime now);
    /// Ends the poll: only now the answers below are there, for the locks as they were noted.
    void settle();
    ServerTime since(size_t lock) const { return m_now[lock].since; }
    quint32 ordinal(size_t lock) const
    {
        return m_now[lock].key.ordinal;
    } ///< how many equal ones came before
    /// It was seen waiting before it was granted: since() is close then, and nobody who waits behind it tells
    /// more.
    bool sawGrant(size_t lock) const { return m_now[lock].sawGrant; }

private:
    struct Key {
        ResourceKey resource;
        Holding holding;
        quint32 ordinal;

        bool operator==(const Key&) const = default;
        friend size_t qHash(const Key& key, size_t seed = 0) noexcept
        {
            return qHashMulti(seed, key.resource, key.holding, key.ordinal);
        }
    };
    struct Row {
        Key key;
        ServerTime since;
        bool sawGrant = false;
    };
    quint32 equalOnesBefore(const Holding& holding);
    void noteGrants();

    std::vector<Row> m_before;
    std::vector<Row> m_now;
    size_t m_firstOfResource = 0;
    QHash<Holding, quint32> m_ofResource; // how often; empty while they are few
};

} // namespace lockscope::monitor
