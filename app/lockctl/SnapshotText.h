// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lockctl/Console.h"
#include "core/domain/BlockingForest.h"

#include <QStringList>

#include <optional>

namespace lockscope::ctl {

/// From when on a running statement is called long: the setting of the window, as it was at the start.
milliseconds longRunning();

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
        QString filter{}; ///< only what has these words, with those before and behind it; empty: everything
        bool brief = false; ///< only the columns of a lock table that fit into 80 places
        bool folds = true; ///< of waiters that are alike only the first ones stand in the tree
        std::optional<SessionKey> selected{}; ///< a head: it is marked, and the tree has only its chain
        bool hasKeys = false; ///< an act is advised by its key, else by its command
    };

    /// `columns`: 0 = no limit.
    SnapshotText(const Snapshot& snapshot, int columns, bool colours);
    void choose(Choice choice)
    {
        m_choice = std::move(choice);
        m_chains.reset();
    }
    void select(const SessionKey& head) { m_choice.selected = head; }
    /// The latest snapshot whose locks were read, if this one's were not; null: there is none.
    void setCounted(const Snapshot* counted) { m_counted = counted; }

    QString heading() const; ///< server, time, counts, cost of the poll
    QStringList headingLines() const; ///< the same in as many lines as it needs
    QStringList entries() const; ///< the lock table with its waiters
    /// All heads of chains as one line each, with what frees those behind; nothing if nobody waits. The lines
    /// from `firstHead` on are in the order of headKeys().
    QStringList heads() const;
    static constexpr qsizetype firstHead = 2;
    std::vector<SessionKey> headKeys() const;
    QStringList blocking() const; ///< the tree of who blocks whom, worst first
    QStringList limitations() const; ///< the parts that could not be seen, and the remedy

private:
    QString describe(const BlockingRow& row) const;
    QString whoIs(SessionId session) const;
    QStringList headingParts() const;
    QString holders() const;
    QString inTone(const QString& heading) const;
    const std::vector<BlockingNode>& chains() const; ///< chosen ones, in the chosen order
    std::vector<BlockingNode> sortedChains() const;
    void addChain(QStringList& lines, const BlockingNode& node, qsizetype level) const;
    QString kindOf(const BlockingNode& node) const;
    QString advice(const BlockingRow& row) const;
    bool isChosen(const QStringList& cells) const;

    const Snapshot& m_snapshot;
    int m_columns;
    bool m_colours;
    Choice m_choice;
    mutable std::optional<std::vector<BlockingNode>> m_chains; ///< once they were asked for
    const Snapshot* m_counted = nullptr;
};

/// "Note: …", of each.
QStringList limitationTexts(const Snapshot& snapshot);

} // namespace lockscope::ctl
