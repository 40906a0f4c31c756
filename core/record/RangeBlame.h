// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/LockMode.h"
#include "core/record/RecordedLock.h"

#include <QHash>

#include <functional>
#include <vector>

namespace lockscope::record {

/// An interval within a range, by numbers only: there may be hundreds of thousands.
struct RangeInterval {
    qint64 resource = 0;
    qint64 party = 0;
    qint64 statement = 0; ///< IntervalRow::statement
    qint64 target = 0; ///< the resource that is meant: of a wait for a transaction its row, if that is known
    ServerTime began; ///< perhaps before the range
    ServerTime from;
    ServerTime to;
    qint64 seen = 0; ///< Sightings
    qint64 polls = 0;
    qint32 mode = 0; ///< RangeModes
    bool isExact = false; ///< `began` is
    bool isProven = false;
    bool isCut = false; ///< reaches beyond an end of the range
    bool isOpen = false; ///< nobody saw its end

    /// Returns a lower bound, as far as something proves it.
    microseconds length() const { return isProven ? to - from : microseconds(0); }
    Sightings sightings() const { return {seen, polls, isProven}; }
};

/// Joins intervals that were recorded in pieces, one for each range that was polled: after a gap a piece has
/// the same start, which the server gives. Then they lie by resource and mode, and in these by their start.
void joinSeenAgain(std::vector<RangeInterval>& intervals);

/// Numbers modes, and knows which of them keep others from having which.
class RangeModes {
public:
    explicit RangeModes(Engine engine)
        : m_engine(engine)
    {
    }
    qint32 numberOf(const QString& mode);
    bool excludes(qint32 held, qint32 requested);

private:
    Engine m_engine;
    QHash<QString, qint32> m_numbers;
    std::vector<QString> m_modes;
    QHash<quint64, bool> m_excludes;
};

/// Finds those of many intervals that meet a time, without going through the others.
class MeetingSearch {
public:
    /// Takes those from `begin` to before `end`, ordered by their start.
    void build(const std::vector<RangeInterval>& all, size_t begin, size_t end);
    template <class Visit>
    void each(const std::vector<RangeInterval>& all, size_t begin, size_t end, ServerTime from, ServerTime to,
        const Visit& visit) const
    {
        if (begin >= end)
            return;
        const size_t middle = begin + (end - begin) / 2;
        if (m_latest[middle] < from)
            return;
        each(all, begin, middle, from, to, visit);
        if (all[middle].from > to)
            return;
        if (all[middle].to >= from)
            visit(middle);
        each(all, middle + 1, end, from, to, visit);
    }

private:
    std::vector<ServerTime> m_latest; ///< end of those around a middle
};

/// Says which holds a wait is charged to: by the rule of BlockingGraph, over time.
class RangeBlame {
public:
    using SessionOf = std::function<SessionId(qint64 party)>;

    /// Both joined. The waits must outlive this.
    RangeBlame(const std::vector<RangeInterval>& waits, std::vector<RangeInterval> holds, RangeModes& modes,
        SessionOf sessionOf);

    struct Charge {
        size_t hold; ///< of holds()
        ServerTime from; ///< part of the wait
        ServerTime to;
    };
    struct Charges {
        std::vector<Charge> direct; ///< those who held it
        std::vector<Charge> heads; ///< those who waited for nobody then; of a ring without any its smallest
    };
    Charges of(const RangeInterval& wait);
    const std::vector<RangeInterval>& holds() const { return m_holds; }

private:
    struct Modes { ///< of one resource
        qint32 mode;
        size_t begin;
        size_t end;
    };
    using ByResource = QHash<qint64, std::vector<Modes>>;
    static ByResource searched(const std::vector<RangeInterval>& all, MeetingSearch& search);
    struct Walk { ///< from one wait up
        std::vector<Charge> chain; ///< from the waiter's blocker to the one that is being checked
        qint64 waiter = 0;
        std::vector<Charge> heads;
        std::vector<Charge> rings; ///< a ring's smallest, where one was come to
    };

    template <class Visit>
    void eachHolder(const RangeInterval& wait, ServerTime from, ServerTime to, const Visit& visit);
    template <class Visit>
    void eachBehindQueue(const RangeInterval& wait, ServerTime from, ServerTime to, const Visit& visit);
    std::vector<Charge> blockersOf(const RangeInterval& wait, ServerTime from, ServerTime to);
    void findHeads(const Charge& charge, Walk& walk);
    bool closesRing(const Charge& charge, Walk& walk) const;

    const std::vector<RangeInterval>& m_waits;
    std::vector<RangeInterval> m_holds;
    std::vector<RangeInterval> m_byParty; ///< waits
    RangeModes& m_modes;
    SessionOf m_sessionOf;
    MeetingSearch m_holdSearch;
    MeetingSearch m_queueSearch;
    MeetingSearch m_partySearch;
    ByResource m_held;
    ByResource m_queues;
    QHash<qint64, std::pair<size_t, size_t>> m_parties; ///< ranges in m_byParty
};

} // namespace lockscope::record
