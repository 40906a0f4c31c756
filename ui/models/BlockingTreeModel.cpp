// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/BlockingTreeModel.h"

#include "ui/models/CellStyle.h"
#include "ui/models/SnapshotNames.h"
#include "ui/models/TableModel.h"

#include <algorithm>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

struct BlockingTreeModel::Node {
    BlockingRow row;
    Node* parent = nullptr;
    std::vector<std::unique_ptr<Node>> children;
    quint64 generation = 0; // of the apply that last wanted it

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
    , m_columns{
          {QStringLiteral("session"), u"Session"_s, u"Head blockers, and below each who waits for it"_s, 200,
              true, false, false, 2},
          {QStringLiteral("what"), u"What it does"_s, {}, 290, true, false, false, 6},
          {QStringLiteral("blocks"), u"Blocks"_s, u"Sessions that wait for it, directly or not"_s, 94, true,
              true},
          {QStringLiteral("for"), u"For"_s, u"How long it waits, or a head blocker is in its state"_s, 75,
              true, true, true},
          {QStringLiteral("wants"), u"Wants"_s, u"The mode that it waits for"_s, 94, true, false, false, 1},
          {QStringLiteral("on"), u"On"_s, u"What it waits for"_s, 126, true, false, false, 3},
          {QStringLiteral("blocked-by"), u"Blocked by"_s,
              u"Sessions that must give way first; it stands below one of them"_s, 94, false},
      }
    , m_root(std::make_unique<Node>())
{
}

BlockingTreeModel::~BlockingTreeModel() = default;

void BlockingTreeModel::apply(std::vector<BlockingNode> forest)
{
    ++m_generation;
    place(*m_root, forest);
    removeOld(*m_root);
}

/// From the top down: whoever is placed never moves again, so nobody is ever moved below itself.
void BlockingTreeModel::place(Node& parent, std::vector<BlockingNode>& wanted)
{
    for (size_t i = 0; i < wanted.size(); ++i) {
        const int row = static_cast<int>(i);
        Node* node = i < parent.children.size() && parent.children[i]->row.key == wanted[i].row.key
            ? parent.children[i].get()
            : m_nodes.value(wanted[i].row.key);
        if (!node) {
            auto made = std::make_unique<Node>();
            node = made.get();
            node->row = std::move(wanted[i].row);
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
            if (node->row != wanted[i].row) {
                node->row = std::move(wanted[i].row);
                Q_EMIT dataChanged(indexFor(*node, 0), indexFor(*node, columnCount() - 1));
            }
        }
        node->generation = m_generation;
        place(*node, wanted[i].children);
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

QString BlockingTreeModel::ageText(const BlockingRow& row) const
{
    if (!row.since)
        return {};
    return ui::ageText(row.since, m_context.serverNow(), row.sinceExact);
}

QString BlockingTreeModel::text(const BlockingRow& row, int column) const
{
    switch (column) {
    case SessionColumn:
        return row.key.id.isValid() ? QStringLiteral("%1  %2").arg(row.key.id.value).arg(row.program)
                                    : u"prepared transaction"_s;
    case WhatColumn:
        return row.alsoBehind.isEmpty() ? row.diagnosis.summary
                                        : u"%1 (also behind %2)"_s.arg(row.diagnosis.summary, row.alsoBehind);
    case BlockedColumn:
        return row.victims > 0 ? u"%1 blocked"_s.arg(row.victims) : QString();
    case AgeColumn:
        return ageText(row);
    case ModeColumn:
        return row.mode ? row.mode->title() : QString();
    case ResourceColumn:
        return row.resource;
    case BlockedByColumn:
        return row.blockedBy;
    default:
        return {};
    }
}

QVariant BlockingTreeModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const BlockingRow& row = nodeAt(index)->row;
    if (role == Qt::DisplayRole)
        return text(row, index.column());
    if (role == Qt::ToolTipRole)
        return QStringLiteral("%1<br><br>%2")
            .arg(row.diagnosis.summary.toHtmlEscaped(), row.diagnosis.remedy.toHtmlEscaped());
    if (role == Qt::TextAlignmentRole)
        return headerData(index.column(), Qt::Horizontal, role);
    if ((role == TableModel::ToneRole || role == TableModel::GlyphRole) && index.column() == AgeColumn) {
        const LockThresholds& limits = m_context.thresholds();
        const Tone tone = row.since
            ? toneOf(
                (row.isHead() ? limits.hold : limits.wait).levelOf(ageOf(*row.since, m_context.serverNow())))
            : Tone::Normal;
        if (role == TableModel::ToneRole)
            return QVariant::fromValue(tone);
        return tone == Tone::Normal ? QVariant() : QVariant::fromValue(Glyph::Warning);
    }
    if (role == TableModel::EmphasisRole)
        return !index.parent().isValid() && index.column() <= BlockedColumn && index.column() != WhatColumn;
    return {};
}

QVariant BlockingTreeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    return headerOf(m_columns[static_cast<size_t>(section)], role);
}

} // namespace lockscope::ui
