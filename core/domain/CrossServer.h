// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"

#include <chrono>
#include <vector>

namespace lockscope {

/// One server as it was seen, among others.
struct SeenServer {
    QString name; ///< for people
    QString place; ///< "db1:5432": what has the same is the same server, however often it is in the list
    QString machine; ///< that it runs on: what its clients call local is there; empty: not known
    SnapshotPtr snapshot;
    std::chrono::steady_clock::time_point taken; ///< by this program's clock, at most `slack` later
    milliseconds slack{0};
};

/// A head blocker of one server whose client seems to wait on another one: until that wait ends, nobody goes
/// on here. No server knows of it; only clients that look alike say so.
struct CrossWait {
    /// Says how sure it is that the same client waits.
    enum class Certainty : quint8 {
        Process, ///< the same process; only one of its sessions fits, the wait began right after the head
                 ///< blocker went idle, and their addresses do not differ
        Program, ///< the same of a program of one machine, without a pooler
        Several, ///< the same process or program, but see `doubt`
    };
    struct End {
        size_t server = 0; ///< index of its server
        SessionId session; ///< invalid: it waits in a lock table, or holds an entry of one
        QString title; ///< "51 billing"
    };
    End head;
    int behind = 0; ///< sessions that wait for the head blocker
    QString doing; ///< "idle in transaction"; of an entry of a lock table "holds nightly-import"
    Age idle; ///< for how long it has been so
    End waiter;
    Age waits;
    QString resource; ///< that the waiter waits for
    End blocker; ///< the head blocker that the waiter is behind
    Certainty certainty = Certainty::Several;
    QString doubt; ///< of Certainty::Several: "it may be another of its sessions"
    int candidates = 1; ///< sessions of that client which fit
    QString client; ///< "process 4711 on web-3", "orders on 10.0.0.3"
    milliseconds gap{0}; ///< from when the head blocker went idle until the wait began; not negative
};

/// Connects the chains of several servers.
struct CrossServer {
    std::vector<CrossWait> waits; ///< for each head blocker the likeliest, the one with most behind it first
    /// Deadlocks that no server can see, none with a Certainty::Several: each a list of `waits`, where the
    /// waiter of one is behind the head blocker of the next, and that of the last behind the first.
    std::vector<std::vector<size_t>> rings;

    bool isEmpty() const { return waits.empty(); }
};

/// Finds head blockers whose clients wait on another server: sessions that do nothing and keep their locks,
/// and holders of lock-table entries. Several names of one server are known by a session that both show, and
/// not compared. What clients say of themselves is believed: their process (SQL Server, lock tables) and
/// program. Process 1 is that of each container, so that it proves nothing without equal addresses. A wait
/// that began before the head blocker went idle is not connected with it. The monitor's own sessions are left
/// out. Pure; any thread.
CrossServer crossServer(const std::vector<SeenServer>& servers);

/// "51 billing of shop is idle in transaction for 17 s, because its client (process 4711 on web-3) waits on
/// stock for public.items: for 16 s, behind 63 report.", and what was compared.
QString textOf(const CrossWait& wait, const std::vector<SeenServer>& servers);
/// "A deadlock over shop and stock, which no server can see: …"
QString textOfRing(
    const std::vector<size_t>& ring, const CrossServer& cross, const std::vector<SeenServer>& servers);

} // namespace lockscope
