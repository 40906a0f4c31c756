// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/BlockingGraph.h"

#include <QSet>
#include <QStringList>

namespace lockscope::ctl {

/// Who blocks whom as an indented tree: heads by harm, below each those that wait for it. Who only stands
/// behind somebody in a queue is shown below the holder.
class BlockingTree {
public:
    BlockingTree(const Snapshot& snapshot, int columns, bool colours);
    QStringList lines();

private:
    struct Node {
        SessionId session;
        const WaitEdge* wait; ///< null for a head
        int level;
    };

    void collectWaiters();
    void addBelow(const Node& root);
    void addLine(const Node& node, bool seen);
    QString describe(const Node& node) const;
    QString whoIs(SessionId session) const;
    QString whatItDoes(const Session& session) const;
    const LockRequest* requestOf(const WaitEdge& wait) const;

    const Snapshot& m_snapshot;
    BlockingGraph m_graph;
    int m_columns;
    bool m_colours;
    QHash<SessionId, std::vector<const WaitEdge*>> m_waiters; // blocker → waits shown below it
    QHash<std::pair<SessionId, quint32>, const LockRequest*>
        m_requests; // waiter and resource → what it wants
    QSet<SessionId> m_shown;
    QStringList m_lines;
};

} // namespace lockscope::ctl
