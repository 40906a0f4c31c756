// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/blocking/LayeredLayout.h"

#include <limits>
#include <utility>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

struct Placer {
    LayeredLayout layout{};
    QSizeF node;
    QSizeF gap;
    double nextRow = 0;

    double place(const BlockingNode& one, int column)
    {
        const double x = column * (node.width() + gap.width());
        double y = 0;
        if (one.children.empty()) {
            y = nextRow;
            nextRow += node.height() + gap.height();
        } else {
            const double first = place(one.children.front(), column + 1);
            double last = first;
            for (size_t i = 1; i < one.children.size(); ++i)
                last = place(one.children[i], column + 1);
            y = (first + last) / 2;
        }
        layout.positions.insert(one.row.key.id, {x, y});
        layout.size = layout.size.expandedTo({x + node.width(), y + node.height()});
        return y;
    }
};

constexpr size_t leastFolded = 3;

class Folder {
public:
    explicit Folder(const QSet<SessionId>& open)
        : m_open(open)
    {
    }

    BlockingNode fold(const BlockingNode& node)
    {
        BlockingNode drawn{node.row, {}};
        std::vector<const BlockingNode*> rest;
        size_t leaves = 0;
        for (const BlockingNode& child : node.children) {
            if (child.children.empty() && ++leaves > waitersBeforeFold)
                rest.push_back(&child);
        }
        const bool isLong = rest.size() >= leastFolded;
        const bool isOpen = m_open.contains(node.row.key.id);
        leaves = 0;
        for (const BlockingNode& child : node.children) {
            if (!isLong || isOpen || !child.children.empty() || ++leaves <= waitersBeforeFold)
                drawn.children.push_back(fold(child));
        }
        if (isLong)
            drawn.children.push_back({extraNode(node.row.key.id, rest, isOpen), {}});
        return drawn;
    }

    QHash<SessionId, QueueFold> take() { return std::move(m_folds); }

private:
    BlockingRow extraNode(SessionId blocker, const std::vector<const BlockingNode*>& rest, bool isOpen)
    {
        BlockingRow row;
        row.key = {SessionId{std::numeric_limits<qint64>::min() + m_folds.size()}, {}};
        row.name = isOpen ? u"fold"_s : u"+%1"_s.arg(rest.size());
        row.program = isOpen ? u"%1 waiting"_s.arg(rest.size()) : u"waiting"_s;
        row.blockedBy = QString::number(blocker.value);
        row.since = rest.front()->row.since;
        row.sinceExact = rest.front()->row.sinceExact;
        row.byQueue = rest.front()->row.byQueue;
        QueueFold fold{blocker, {}, isOpen};
        for (const BlockingNode* one : rest)
            fold.sessions.push_back(one->row.key);
        m_folds.insert(row.key.id, fold);
        return row;
    }

    const QSet<SessionId>& m_open;
    QHash<SessionId, QueueFold> m_folds;
};

} // namespace

LayeredLayout layeredLayout(const std::vector<BlockingNode>& forest, QSizeF node, QSizeF gap)
{
    Placer placer{.node = node, .gap = gap};
    for (const BlockingNode& root : forest) {
        placer.place(root, 0);
        placer.nextRow += gap.height();
    }
    return placer.layout;
}

FoldedForest foldQueues(const std::vector<BlockingNode>& forest, const QSet<SessionId>& open)
{
    Folder folder(open);
    FoldedForest folded;
    for (const BlockingNode& root : forest)
        folded.forest.push_back(folder.fold(root));
    folded.folds = folder.take();
    return folded;
}

} // namespace lockscope::ui
