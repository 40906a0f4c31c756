// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Rule.h"
#include "core/base/Result.h"
#include "core/domain/Snapshot.h"
#include "core/monitor/Surroundings.h"

#include <QString>

#include <optional>
#include <vector>

namespace lockscope::alert {

/// A deadlock that was reported since the last observation.
struct SeenDeadlock {
    QString family; ///< deadlock::familyOf()
    QString title;
    QString database{};
    /// Why it is new, in a sentence; empty: its family was known.
    QString whyNew{};
    ServerTime at{}; ///< invalid: not known, that of the observation
};

/// Locks that were taken in opposite orders.
struct OppositeOrder {
    QString id; ///< order::PotentialDeadlock::id
    QString title;
    QString database;
    qint64 count = 0;
};

/// A number for a condition that somebody else measures: the recorder, the mutes, the channels, the servers
/// together.
struct MeasuredElsewhere {
    Condition condition;
    QString resource{}; ///< what it is about
    double value = 0;
    QString text; ///< a sentence
    QString server{}; ///< that it is of; empty: the observation's
};

/// A wait of a head blocker's client on another server, as it seems.
struct ClientWait {
    SessionId head; ///< invalid: it holds an entry of a lock table
    QString title; ///< of the head blocker, as in Chain
    QString text; ///< sentences
};

/// All that is known of one server at one time, live or out of a recording. What is left out is not known,
/// which is another thing than that there is none.
struct Observation {
    QString server; ///< Cause::server
    ServerTime at; ///< the server's clock; of a failed poll what it will show by now
    milliseconds interval{2'000}; ///< of the polls
    QString database{}; ///< of the connection: lock tables are in it
    SnapshotPtr snapshot{}; ///< null: the poll failed, or none was made
    std::optional<Error> error{}; ///< of a failed poll
    std::vector<monitor::Measure> measures{}; ///< empty: not read this time
    std::optional<std::vector<OppositeOrder>> orders{};
    std::optional<std::vector<SeenDeadlock>> deadlocks{}; ///< nothing: not read since the last observation
    std::optional<std::vector<MeasuredElsewhere>> elsewhere{};
    std::vector<ClientWait> clientWaits{}; ///< as far as other servers are seen
    /// The servers of which nothing is seen at present: a deadlock over them that is not in `elsewhere` may
    /// be there all the same.
    QStringList hiddenServers{};
};

} // namespace lockscope::alert
