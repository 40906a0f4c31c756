// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/BlockingForest.h"
#include "ui/kit/models/TableExport.h"
#include "ui/views/page/AppContext.h"

#include <QAbstractItemModel>

#include <memory>

namespace lockscope::ui {

/// Head blockers and who waits below them. A refresh inserts, moves, removes and changes rows; it never
/// resets, so selection and expanded nodes survive also when a waiter gets another blocker.
class BlockingTreeModel : public QAbstractItemModel, public ReportSource {
    Q_OBJECT

public:
    enum Column {
        SessionColumn,
        FrameworkColumn,
        BlockedColumn,
        JoinedColumn,
        LongestColumn,
        AgeColumn,
        WhatColumn,
        ModeColumn,
        TargetColumn,
        TableColumn,
        StatementColumn,
        BlockedByColumn
    };

    explicit BlockingTreeModel(AppContext& context, QObject* parent = nullptr);
    ~BlockingTreeModel() override;

    const std::vector<ColumnInfo>& columns() const override { return m_columns; }
    std::vector<report::Column> reportColumns() const override;
    std::vector<report::Value> reportCells(const QModelIndex& row) const override;
    /// Returns nothing: the table of core has all columns.
    report::Value ownValue(const QModelIndex&) const override { return {}; }
    /// Returns the text that is shown, copied and searched.
    QString text(const BlockingRow& row, int column) const;

    /// `takenAt` is the time of its snapshot, for the ages of rows that leave the window.
    void apply(std::vector<BlockingNode> forest, ServerTime takenAt);
    const BlockingRow* rowAt(const QModelIndex& index) const;
    QModelIndex indexOf(SessionKey key) const; ///< column 0; invalid if it is not there

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Node;
    Node* nodeAt(const QModelIndex& index) const;
    QModelIndex indexFor(const Node& node, int column = 0) const;
    void place(Node& parent, std::vector<BlockingNode>& newNodes);
    void removeOld(Node& parent);

    AppContext& m_context;
    std::vector<ColumnInfo> m_columns;
    std::unique_ptr<Node> m_root;
    QHash<SessionKey, Node*> m_nodes;
    ServerTime m_takenAt;
    quint64 m_generation = 0;
};

} // namespace lockscope::ui
