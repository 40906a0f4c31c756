// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/Console.h"
#include "core/domain/Snapshot.h"

#include <QStringList>

namespace lockscope {
struct BlockingNode;
struct BlockingRow;
} // namespace lockscope

namespace lockscope::ctl {

/// A snapshot as lines for people. Contended resources come first.
class SnapshotText {
public:
    enum class Order : quint8 {
        Worst, ///< as a tree stands: head blockers by harm, entries as the lock table has them
        Wait, ///< the row with the longest waiter comes first
        Name, ///< sessions by number, entries by name
    };
    /// The choices of a user in front of a screen.
    struct Choice {
        Order order = Order::Worst;
        QString filter; ///< only what has these words, with those before and behind it; empty: everything
        bool brief = false; ///< only the columns of a lock table that fit into 80 places
    };

    /// `columns`: 0 = no limit.
    SnapshotText(const Snapshot& snapshot, int columns, bool colours);
    void choose(Choice choice) { m_choice = std::move(choice); }
    /// The latest snapshot whose locks were read, if this one's were not; null: there is none.
    void setCounted(const Snapshot* counted) { m_counted = counted; }

    QString heading() const; ///< server, time, counts, cost of the poll
    QStringList headingLines() const; ///< the same in as many lines as it needs
    QStringList entries() const; ///< the lock table with its waiters
    QStringList blocking() const; ///< the tree of who blocks whom, worst first
    QStringList limitations() const; ///< the parts that could not be seen, and the remedy

private:
    QString describe(const BlockingRow& row) const;
    QString whoIs(SessionId session) const;
    QStringList headingParts() const;
    QString holders() const;
    QString inTone(const QString& heading) const;
    std::vector<BlockingNode> chains() const; ///< chosen ones, in the chosen order
    bool isChosen(const QStringList& cells) const;

    const Snapshot& m_snapshot;
    int m_columns;
    bool m_colours;
    Choice m_choice;
    const Snapshot* m_counted = nullptr;
};

/// "Note: …", of each.
QStringList limitationTexts(const Snapshot& snapshot);

} // namespace lockscope::ctl
