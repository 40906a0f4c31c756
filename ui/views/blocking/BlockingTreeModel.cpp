// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/blocking/BlockingTreeModel.h"

#include "core/base/ShownText.h"
#include "core/domain/SnapshotNames.h"
#include "core/report/SnapshotTables.h"
#include "ui/kit/delegates/BadgePainter.h"
#include "ui/kit/models/TableModel.h"
#include "ui/kit/widgets/ToolTipText.h"

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

QString rowTip(const BlockingRow& row)
{
    constexpr qsizetype enough = 1'000;
    QStringList parts{inOneLine(row.diagnosis.summary), inOneLine(row.diagnosis.remedy)};
    if (!row.statement.isEmpty())
        parts << row.statement.left(enough);
    return htmlText(parts.join(QStringLiteral("\n\n"))).replace(QLatin1Char('\n'), QStringLiteral("<br>"));
}

std::vector<ColumnInfo> blockingColumns()
{
    return {
        ColumnInfo{
            u"session"_s, u"Session"_s, u"Head blockers, and below each the sessions that wait for it"_s}
            .wide(1)
            .whole(),
        frameworkColumn(),
        ColumnInfo{u"blocks"_s, u"Blocks"_s,
            u"Sessions behind it: of a head blocker all, of a waiter those that stand below it"_s, 60}
            .ofNumbers(),
        ColumnInfo{u"new"_s, u"New"_s, u"Those of them that came within the last minute"_s, 50}
            .ofNumbers()
            .yield(2),
        ColumnInfo{u"longest"_s, u"Longest"_s, u"The longest wait behind a head blocker"_s, 70}.ofAges(),
        ColumnInfo{u"for"_s, u"For"_s,
            u"The time that it has waited, or that a head blocker has been in its state"_s, 60}
            .ofAges(),
        ColumnInfo{u"what"_s, u"What it does"_s,
            u"The reason why a head blocker does not go on, or the statement of a session that waits"_s, 220}
            .wide(6),
        ColumnInfo{u"wants"_s, u"Waits for"_s, u"The mode that it waits for"_s, 94}.yield(3),
        ColumnInfo{u"on"_s, u"On"_s, u"What it waits for: the row, if the server names it"_s, 140}
            .wide(3)
            .whole(),
        ColumnInfo{u"table"_s, u"Table"_s, u"The table of what it waits for"_s}.hidden().wide(1).whole(),
        ColumnInfo{
            u"statement"_s, u"Statement"_s, u"The running one, or the last one of an idle session"_s, 200}
            .hidden()
            .wide(3),
        ColumnInfo{u"blocked-by"_s, u"Blocked by"_s,
            u"Sessions that must give way first; it stands below one of them"_s, 94}
            .hidden(),
    };
}

} // namespace

struct BlockingTreeModel::Node {
    BlockingRow row;
    Node* parent = nullptr;
    std::vector<std::unique_ptr<Node>> children;
    quint64 generation = 0; // of the apply that last used it

    int place() const
    {
        const auto& siblings = parent->children;
        const auto found = std::find_if(
            siblings.begin(), siblings.end(), [this](const auto& sibling) { return sibling.get() == this; });
        return static_cast<int>(found - siblings.begin());
    }
};

BlockingTreeModel::BlockingTreeModel(AppContext& context, QObject* parent)
    : QAbstractItemModel(parent)
    , m_context(context)
    , m_columns(blockingColumns())
    , m_root(std::make_unique<Node>())
{
}

BlockingTreeModel::~BlockingTreeModel() = default;

void BlockingTreeModel::apply(std::vector<BlockingNode> forest, ServerTime takenAt)
{
    m_takenAt = takenAt;
    ++m_generation;
    place(*m_root, forest);
    removeOld(*m_root);
}

/// Places nodes from the top down: a placed one never moves again, so none is ever moved below itself.
void BlockingTreeModel::place(Node& parent, std::vector<BlockingNode>& newNodes)
{
    for (size_t i = 0; i < newNodes.size(); ++i) {
        const int row = static_cast<int>(i);
        Node* node = i < parent.children.size() && parent.children[i]->row.key == newNodes[i].row.key
            ? parent.children[i].get()
            : m_nodes.value(newNodes[i].row.key);
        if (!node) {
            auto made = std::make_unique<Node>();
            node = made.get();
            node->row = std::move(newNodes[i].row);
            node->parent = &parent;
            beginInsertRows(indexFor(parent), row, row);
            parent.children.insert(parent.children.begin() + row, std::move(made));
            m_nodes.insert(node->row.key, node);
            endInsertRows();
        } else {
            if (node->parent != &parent || parent.children[i].get() != node) {
                Node& oldParent = *node->parent;
                const int oldRow = node->place();
                beginMoveRows(indexFor(oldParent), oldRow, oldRow, indexFor(parent), row);
                auto taken = std::move(oldParent.children[static_cast<size_t>(oldRow)]);
                oldParent.children.erase(oldParent.children.begin() + oldRow);
                parent.children.insert(parent.children.begin() + row, std::move(taken));
                node->parent = &parent;
                endMoveRows();
            }
            if (node->row != newNodes[i].row) {
                node->row = std::move(newNodes[i].row);
                Q_EMIT dataChanged(indexFor(*node, 0), indexFor(*node, columnCount() - 1));
            }
        }
        node->generation = m_generation;
        place(*node, newNodes[i].children);
    }
}

void BlockingTreeModel::removeOld(Node& parent)
{
    for (size_t i = parent.children.size(); i-- > 0;) {
        Node& node = *parent.children[i];
        removeOld(node);
        if (node.generation == m_generation)
            continue;
        const int row = static_cast<int>(i);
        beginRemoveRows(indexFor(parent), row, row);
        m_nodes.remove(node.row.key);
        parent.children.erase(parent.children.begin() + row);
        endRemoveRows();
    }
}

BlockingTreeModel::Node* BlockingTreeModel::nodeAt(const QModelIndex& index) const
{
    return index.isValid() ? static_cast<Node*>(index.internalPointer()) : m_root.get();
}

QModelIndex BlockingTreeModel::indexFor(const Node& node, int column) const
{
    return &node == m_root.get() ? QModelIndex() : createIndex(node.place(), column, &node);
}

const BlockingRow* BlockingTreeModel::rowAt(const QModelIndex& index) const
{
    return index.isValid() ? &nodeAt(index)->row : nullptr;
}

QModelIndex BlockingTreeModel::indexOf(SessionKey key) const
{
    const Node* node = m_nodes.value(key);
    return node ? indexFor(*node) : QModelIndex();
}

QModelIndex BlockingTreeModel::index(int row, int column, const QModelIndex& parent) const
{
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, nodeAt(parent)->children[static_cast<size_t>(row)].get());
}

QModelIndex BlockingTreeModel::parent(const QModelIndex& child) const
{
    return child.isValid() ? indexFor(*nodeAt(child)->parent) : QModelIndex();
}

int BlockingTreeModel::rowCount(const QModelIndex& parent) const
{
    return parent.column() > 0 ? 0 : static_cast<int>(nodeAt(parent)->children.size());
}

int BlockingTreeModel::columnCount(const QModelIndex&) const
{
    return static_cast<int>(m_columns.size());
}

QString BlockingTreeModel::text(const BlockingRow& row, int column) const
{
    const auto count = [](int number) { return number > 0 ? QString::number(number) : QString(); };
    const auto age = [this](const std::optional<ServerTime>& since, bool exact) {
        return since ? ageText(since, m_context.serverNow(), exact) : QString();
    };
    switch (column) {
    case SessionColumn:
        return row.program.isEmpty() ? row.name : row.name + QStringLiteral("  ") + row.program;
    case FrameworkColumn:
        return frameworkText(row.framework);
    case BlockedColumn:
        return count(row.harm.victims);
    case JoinedColumn:
        return row.harm.joined > 0 ? u'+' + count(row.harm.joined) : QString();
    case LongestColumn:
        return age(row.longestSince, row.harm.longestExact);
    case AgeColumn:
        return age(row.since, row.sinceExact);
    case WhatColumn:
        return row.doing();
    case ModeColumn:
        return row.mode ? row.mode->title() : QString();
    case TargetColumn:
        return row.target;
    case TableColumn:
        return row.table;
    case StatementColumn:
        return row.statement;
    case BlockedByColumn:
        return row.blockedBy;
    default:
        return {};
    }
}

std::vector<report::Column> BlockingTreeModel::reportColumns() const
{
    return report::blockingSection({}).columns;
}

std::vector<report::Value> BlockingTreeModel::reportCells(const QModelIndex& row) const
{
    int level = 0;
    for (QModelIndex above = row.parent(); above.isValid(); above = above.parent())
        ++level;
    return report::blockingRow(nodeAt(row)->row, level, m_takenAt).cells;
}

QVariant BlockingTreeModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const BlockingRow& row = nodeAt(index)->row;
    if (role == Qt::DisplayRole)
        return inOneLine(text(row, index.column()));
    if (index.column() == FrameworkColumn && row.framework && role != Qt::TextAlignmentRole)
        return frameworkCell(row.framework, role);
    if (role == Qt::ToolTipRole)
        return inLines(rowTip(row));
    if (role == Qt::TextAlignmentRole)
        return headerData(index.column(), Qt::Horizontal, role);
    const bool isAge = index.column() == AgeColumn || index.column() == LongestColumn;
    if ((role == TableModel::ToneRole || role == TableModel::GlyphRole) && isAge) {
        const LockThresholds& limits = m_context.thresholds();
        const bool ofState = index.column() == AgeColumn && row.isHead();
        const auto since = index.column() == AgeColumn ? row.since : row.longestSince;
        const auto level = [&] {
            const milliseconds age = ageOf(*since, m_context.serverNow());
            Harm harm = row.harm;
            harm.longestWait = age;
            return index.column() == LongestColumn ? levelOf(harm, limits.wait)
                                                   : (ofState ? limits.hold : limits.wait).levelOf(age);
        };
        const Tone tone = since ? toneOf(level()) : Tone::Normal;
        if (role == TableModel::ToneRole)
            return QVariant::fromValue(tone);
        return tone == Tone::Normal ? QVariant() : QVariant::fromValue(Glyph::Warning);
    }
    if (role == TableModel::EmphasisRole)
        return !index.parent().isValid() && index.column() <= LongestColumn;
    return {};
}

QVariant BlockingTreeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    return headerOf(m_columns[static_cast<size_t>(section)], role);
}

} // namespace lockscope::ui
