// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/Console.h"
#include "core/domain/Snapshot.h"

#include <QStringList>

namespace lockscope {
struct BlockingRow;
}

namespace lockscope::ctl {

/// A snapshot as lines for people. Contended resources come first.
class SnapshotText {
public:
    /// `columns`: 0 = no limit. `all`: also this program's own sessions.
    SnapshotText(const Snapshot& snapshot, int columns, bool colours, bool all = false);

    QString heading() const; ///< server, time, counts, cost of the poll
    QStringList locks() const;
    QStringList entries() const; ///< the lock table with its waiters
    QStringList blocking() const; ///< the tree of who blocks whom, worst first
    QStringList limitations() const; ///< what could not be seen, and the remedy

private:
    bool isShown(const LockRequest& request) const;
    QString describe(const BlockingRow& row) const;
    QString whoIs(SessionId session) const;

    const Snapshot& m_snapshot;
    int m_columns;
    bool m_colours;
    bool m_all;
};

} // namespace lockscope::ctl
