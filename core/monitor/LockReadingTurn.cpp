// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#include "core/monitor/LockReadingTurn.h"

namespace lockscope::monitor {

namespace {

/// Held locks are counted at this interval where locks are read only while a session waits.
constexpr std::chrono::seconds readEvery{10};

} // namespace

void LockReadingTurn::beginAgain()
{
    m_readLast = {};
    m_again = true;
}

/// A clock that was set back counts as time that went by.
bool LockReadingTurn::isDue() const
{
    return m_reading == LockReading::Always || m_again || !m_readLast.isValid() || m_takenLast < m_readLast
        || m_takenLast - m_readLast >= readEvery;
}

void LockReadingTurn::note(const Snapshot& snapshot, bool again)
{
    m_takenLast = snapshot.takenAt;
    if (snapshot.locksRead)
        m_readLast = snapshot.takenAt;
    m_again = again;
}

} // namespace lockscope::monitor
