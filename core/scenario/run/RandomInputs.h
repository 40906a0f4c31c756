// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: MIT
#pragma once

#include "core/scenario/format/Scenario.h"

#include <QRandomGenerator>

namespace lockscope::scenario {

struct DrawRange {
    qint64 from = 0;
    qint64 to = 0; ///< not below `from`
};
/// Returns the source of a session's numbers.
QRandomGenerator randomOf(quint32 seed, int session);
/// `share`: what it gave, 0 … below 1.
qint64 drawnBy(double share, DrawRange range);

/// The possible draws of a run's sessions, as far as they are known before it: all that they draw before they
/// do anything else in a round.
class DrawSpace {
public:
    /// `roles`: the role of each session. `values`: of the run.
    DrawSpace(const std::vector<const Role*>& roles, int rounds, const Values& values);

    bool isEmpty() const { return m_isEmpty; } ///< nobody draws anything
    /// True if no other draw comes later or depends on what happens.
    bool isKnown() const { return m_isKnown; }
    double size() const; ///< the number of different draws; if they are known
    /// Returns each session's draws by this seed, one after the other.
    std::vector<std::vector<qint64>> drawn(quint32 seed) const;

    /// Returns seeds whose draws all differ, at most `maximum`; those first in which the sessions have most
    /// in common, because these block each other. `from`: the first one to try.
    std::vector<quint32> seeds(quint32 from, int maximum) const;

private:
    std::vector<std::vector<DrawRange>> m_ranges; ///< by session
    bool m_isEmpty = true;
    bool m_isKnown = true;
};

} // namespace lockscope::scenario
