// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/db/LiveConnection.h"
#include "core/domain/Resource.h"
#include "core/domain/Snapshot.h"
#include "core/monitor/SnapshotSource.h"

#include <QHash>

#include <functional>
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

/// The common part of the sources of all engines: the connection, the search on a new one, and each
/// snapshot's facts about the server and the poll's cost.
class ServerSnapshotSource : public SnapshotSource {
public:
    Result<SnapshotPtr> take(std::stop_token stop) final;
    void setReadsFrameworkRows(bool reads) final { m_readsFrameworkRows = reads; }
    std::chrono::steady_clock::duration connectingTook() const final { return m_connectingTook; }

protected:
    ServerSnapshotSource(db::Server server, const ProbeSelection& probes);

    /// Finds out, on each new connection, what may be seen there. Called again by the next poll if it fails.
    virtual Result<void> probeServer(const std::stop_token& stop) = 0;
    /// Fills in what is seen now; engine, server, number and the client's share of the cost are filled in
    /// around it.
    virtual Result<void> poll(Snapshot& snapshot, const std::stop_token& stop) = 0;

    bool readsFrameworkRows() const { return m_readsFrameworkRows; }
    const db::Server& server() const { return m_connection.server(); }
    const db::ServerProfile& profile() const { return m_connection.server().profile; }
    db::Connection& connection() { return *m_connection; }
    /// A round trip; its time counts as time on the wire.
    std::vector<Result<qint64>> ask(std::span<const db::BatchItem> items, const std::stop_token& stop);
    /// Adds the time of requests that are made by other ways.
    void onTheWire(const std::function<void()>& ask);
    /// Returns the time of this poll so far.
    microseconds onTheWire() const { return std::chrono::duration_cast<microseconds>(m_onTheWire); }
    /// Makes a second round trip for names that the first one left unknown. If a name can't be had, the views
    /// say so. `judge` is called with the result of each item.
    using Judge = std::function<void(size_t item, const Result<qint64>& result)>;
    Result<void> lookUp(
        Snapshot& snapshot, std::span<const db::BatchItem> items, const std::stop_token& stop,
        const Judge& judge = [](size_t, const Result<qint64>&) {});

    /// True if there is no point in going on, whatever else was requested.
    static bool concernsTheConnection(const Error& error);
    static Failure pollFailure(Error error, const QString& what);

private:
    using Clock = std::chrono::steady_clock;

    Result<void> makeReady(const std::stop_token& stop);
    Result<SnapshotPtr> read(const std::stop_token& stop);

    db::LiveConnection m_connection;
    bool m_searchedAt = false; ///< on this connection
    bool m_readsFrameworkRows;
    Clock::duration m_connectingTook{0}; ///< with the search on a new connection, in the last take()
    Clock::duration m_onTheWire{0};
    Clock::duration m_waited{0};
    quint64 m_number = 0;
    EndedWaits m_endedWaits;
};

/// Decides whether a poll begins with the locks, by LockReading. If it does not, and what it reads tells of
/// somebody who waits, or may wait, its source reads the locks after all. Poll thread only.
class LockReadingTurn {
public:
    void set(LockReading reading) { m_reading = reading; }
    /// Begins again on a new connection: locks are read first of all.
    void beginAgain();
    bool isDue() const;
    /// Notes the end of each poll. `again`: the next one reads locks, too, whatever it is to cost.
    void note(const Snapshot& snapshot, bool again);

private:
    LockReading m_reading = LockReading::Always;
    ServerTime m_takenLast;
    ServerTime m_readLast; ///< invalid: never on this connection
    bool m_again = true;
};

} // namespace lockscope::monitor
