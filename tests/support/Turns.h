// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "tests/support/LockRig.h"

#include <atomic>

namespace lockscope::test {

/// A turn of somebody who has the lock, as he himself knows it.
struct Turn {
    using Clock = std::chrono::steady_clock;
    Clock::time_point from;
    Clock::time_point until;
    bool isKept = true; ///< the lock was still his when he gave it back
};

/// Several programs that take turns under one name, and what each knows of its own.
class Crowd {
public:
    using Take = std::function<bool(db::Connection&, Turn&)>; ///< false: nothing was taken

    /// Connects, and again whenever somebody has ended its session.
    void join(const LockRig& rig, qint64 turns, Take take);
    bool isOver() const { return m_ended == int(m_threads.size()); }
    qint64 lost() const; ///< whose lock ended before they gave it back
    /// Begins no more turns, however many were ordered.
    void stop() { m_isStopped = true; }
    void finish();

    // After that.
    qint64 turns() const { return qint64(m_turns.size()); }
    /// Returns the overlaps of the turns that were kept, or of all.
    qint64 overlaps(bool ofAll = false) const;

private:
    mutable std::mutex m_mutex;
    std::vector<Turn> m_turns;
    std::atomic<int> m_ended = 0;
    std::atomic<bool> m_isStopped = false;
    std::vector<std::thread> m_threads;
};

/// Takes "n" by the library. Each grant names its lock; those that don't are counted.
Crowd::Take byLibrary(const LockRig& rig, std::atomic<int>& nameless);
/// Takes the surrogate key "n" by the function for other languages.
Crowd::Take byFunction();
/// Reads public.work.done in its transaction and writes one more: two at once would count one turn only.
/// `counted` are those whose commit was confirmed.
Crowd::Take countingTurns(const LockRig& rig, std::atomic<int>& counted);
void makeCountedWork(const LockRig& rig);

/// Ends one of the sessions that are at work, by chance.
extern const QString endSomeSession;

} // namespace lockscope::test
