// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/alert/Incident.h"
#include "core/domain/Harm.h"
#include "core/domain/Snapshot.h"

#include <vector>

namespace lockscope::alert {

/// All sessions that wait behind head blockers of one cause: of the same user, program and machine, for the
/// same thing.
struct Chain {
    Cause cause; ///< its resource is the one that most wait for directly
    QStringList resources; ///< all that somebody waits for directly
    /// The worst of its head blockers, in the order of BlockingGraph::heads(); invalid: a lock table's holder
    /// without a session.
    SessionId head;
    Harm harm; ///< that the head does
    ServerTime headStarted;
    ServerTime headTransaction; ///< when its transaction began; invalid: not known
    QString headTitle; ///< "51 billing"
    bool isRing = false; ///< its sessions wait for each other
    QString inherited; ///< for how long the head has had a queue that is older; empty: it has made it itself
    int waiting = 0; ///< sessions, as in Snapshot::waitingSessions()
    Age longest; ///< wait
    std::vector<milliseconds> ages; ///< of all waits, as far as they are known
    /// Returns the time that all have waited together, each no more than `maxEach`.
    milliseconds waited(milliseconds maxEach = milliseconds::max()) const;
    std::optional<Age> idle; ///< of the head in its transaction
    /// The longest wait of a request that keeps even readers in the queue behind it.
    std::optional<Age> strong;
    QString strongText; ///< "63 migrate waits for public.orders (Access exclusive), and 4 sessions queue
                        ///< behind it."
};

/// Returns the chains of a snapshot, also those behind holders of lock-table entries. The monitor's own waits
/// are left out. `database`: of the connection, to which its lock tables belong. Pure.
std::vector<Chain> chainsOf(const Snapshot& snapshot, const QString& server, const QString& database);

/// Orders as BlockingGraph::worstHead() does: rings first, then by the harm of the heads.
bool isWorse(const Chain& one, const Chain& other);

/// Returns the tree below the chain's head in lines, for people: at most twelve, with the number of the
/// others.
QStringList treeOf(const Snapshot& snapshot, const Chain& chain);

/// Returns the head as an act needs it, with what it does and what resolves it. `longRunning`: from when on a
/// running statement is called long.
IncidentHead headOf(const Snapshot& snapshot, const Chain& chain, milliseconds longRunning);

/// Returns what happens in a sentence: "25 sessions wait for 990 support-desk, idle in transaction for 4
/// min."
QString titleOf(const Chain& chain, const IncidentHead& head);

} // namespace lockscope::alert
