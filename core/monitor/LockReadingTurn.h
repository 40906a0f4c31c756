// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/domain/Snapshot.h"
#include "core/monitor/SnapshotSource.h"

namespace lockscope::monitor {

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
