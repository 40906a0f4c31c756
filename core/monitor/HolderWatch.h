// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/frameworks/RowLocks.h"

#include <QHash>

#include <span>

namespace lockscope::monitor {

/// Remembers from poll to poll how the locks in the rows of one table behave: when they were taken, how often
/// they are renewed, in which zone their program writes, and whether the sessions that held them have ended.
/// As old as its connection: rows are not watched any more after a restart of the server or of ours. A
/// program's zone, once learnt, counts for its holder alone; the end of a session only if the polls before it
/// followed closely, and if the row states when it was taken: else it may be another lock by now. For each
/// poll: begin, for each row addTo and note, end. Poll thread only.
class HolderWatch {
public:
    /// `isComplete`: these are all locks of the table. `configuredZone`: the zone that the user set.
    void begin(const std::vector<frameworks::RowLock>& rows, bool isComplete,
        const std::optional<QTimeZone>& configuredZone, ServerTime now);
    /// To be called before its times without a zone are read. Nothing is concluded of a session that is not
    /// among them unless these are all sessions.
    void addTo(frameworks::RowLock& row, std::span<const Session> sessions, bool areAll);
    /// To be called after it was judged: notes which sessions hold it.
    void note(const frameworks::RowLock& row, const HolderJudgement& judged);
    void end(ServerTime now);

    /// Returns the zone of the row's times: as its own digits prove, as set for this server, or as it was
    /// seen of the row or of its holder.
    frameworks::ProgramZone zoneOf(const frameworks::RowLock& row) const;

private:
    struct Tied {
        SessionKey key;
        EndedHolder as; ///< as it was seen last
    };
    /// A lock in a row, from its taking to its end.
    struct Held {
        std::optional<PossibleTime> taken; ///< if it was not there yet when the table was read before
        std::optional<qint64> heartbeat; ///< microseconds of whatever clock
        int renewals = 0;
        milliseconds longest{0};
        frameworks::ProgramZone zone; ///< as seen of this row
        ServerTime watched; ///< when it was last compared with all sessions
        std::vector<Tied> tied;
        std::vector<EndedHolder> ended;
        quint64 poll = 0; ///< that showed it last
    };

    /// The zone of the programs that write one holder's name.
    struct HolderZone {
        frameworks::ProgramZone seen;
        bool areSeveral = false;
    };

    static QString keyOf(const frameworks::RowLock& row);
    static QString holderOf(const frameworks::RowLock& row);
    void noteZone(Held& held, const frameworks::RowLock& row, frameworks::ZonelessTime written);
    void noteRenewal(Held& held, const frameworks::RowLock& row);
    void noteEnds(Held& held, std::span<const Session> sessions) const;

    QHash<QString, Held> m_held; ///< by keyOf
    QHash<QString, int> m_counts; ///< rows of this poll with the same key: of those nothing is learnt
    bool m_isComplete = false;
    bool m_isAnyListed = false; ///< a process of any row
    ServerTime m_now;
    ServerTime m_before; ///< of the poll before, if that read the whole table; else invalid
    quint64 m_poll = 0;
    std::optional<QTimeZone> m_configuredZone;
    QHash<QString, HolderZone> m_zones; ///< by holderOf
    QHash<QString, frameworks::ProgramZone> m_bounds; ///< by holderOf: what this poll's rows leave possible
    /// The longest time between two signs of life, once two renewals of a row were seen.
    std::optional<milliseconds> m_renewedEvery;
};

} // namespace lockscope::monitor
