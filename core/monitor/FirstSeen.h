// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/LockRequest.h"
#include "core/domain/Snapshot.h"

#include <QHash>

#include <vector>

namespace lockscope::monitor {

/// Remembers since when each lock was seen at every poll, because no server records when it was granted. That
/// is a lower bound of its age; a new transaction of the same session starts again. Poll thread only.
class FirstSeen {
public:
    /// The properties of a lock, beside its resource, that stay the same as long as it is held.
    struct Holding {
        SessionId session;
        quint64 transaction = 0; ///< 0: of none, so that one holding can't be distinguished from the next
        int mode = 0; ///< LockMode::strength()
        RequestState state = RequestState::Granted;

        bool operator==(const Holding&) const = default;
        friend size_t qHash(const Holding& holding, size_t seed = 0) noexcept
        {
            return qHashMulti(
                seed, holding.session, holding.transaction, holding.mode, static_cast<int>(holding.state));
        }
    };

    /// Begins with a poll that has about so many locks. `takenAt` is its time.
    void begin(size_t locks, ServerTime takenAt);
    /// Each lock of the poll once, those of one resource together.
    void note(const ResourceKey& resource, const Holding& holding);
    /// Ends the poll: only now the answers below are there, for the locks as they were noted.
    void settle();
    ServerTime since(size_t lock) const { return m_now[lock].since; }
    quint32 ordinal(size_t lock) const
    {
        return m_now[lock].key.ordinal;
    } ///< how many equal ones came before
    /// Returns a time before which nobody held the lock, as far as polls show: it was not there at the poll
    /// of that time, or was seen waiting before this one. Invalid if no poll shows one.
    ServerTime notBefore(size_t lock) const { return m_now[lock].notBefore; }

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
        ServerTime notBefore;
    };
    quint32 equalOnesBefore(const Holding& holding);
    void noteGrants();

    std::vector<Row> m_before;
    std::vector<Row> m_now;
    ServerTime m_takenBefore; // invalid: this is the first poll
    ServerTime m_takenAt;
    size_t m_firstOfResource = 0;
    QHash<Holding, quint32> m_ofResource; // how often; empty while they are few
};

/// Remembers which sessions polls saw waiting, because no server records when a wait ended. A head blocker
/// that waited in the queue itself until lately has not made the queue behind it. Poll thread only.
class EndedWaits {
public:
    /// Takes the waits of this poll, and fills in Session::waitedUntil of those that others wait for and that
    /// wait no more. Needs the snapshot's index and waits.
    void note(Snapshot& snapshot);

private:
    struct Wait {
        ServerTime seen; ///< by the last poll that saw it
        QString what;
    };
    QHash<SessionKey, Wait> m_waits; ///< empty while nobody waits: then no later queue is older than they are
};

} // namespace lockscope::monitor
