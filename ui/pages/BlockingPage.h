// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/models/BlockingForest.h"
#include "ui/pages/Page.h"

#include <QSet>

class QLabel;
class QSplitter;
class QStackedWidget;
class QTreeView;

namespace lockscope::ui {

class BlockingGraphView;
class BlockingTreeModel;
class CellDelegate;

/// Who is at the head of each queue, and who stands behind: as a tree and as a drawing, with one selection.
class BlockingPage : public Page {
    Q_OBJECT

public:
    explicit BlockingPage(AppContext& context, QWidget* parent = nullptr);

    void showSnapshot(const SnapshotPtr& snapshot) override;
    void showHealth(monitor::Health health, const std::optional<Error>& error, milliseconds dataAge) override;
    bool reveal(const DetailSubject& subject) override;
    QString countText() const override { return m_countText; }
    void saveLayout() override;

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void apply(std::vector<BlockingNode> forest);
    void select(SessionKey key);
    void expandNew(const QModelIndex& parent);
    void fitColumns();
    void showMenu(const QPoint& at);
    void askToEnd();
    const Session* selectedSession() const;

    BlockingTreeModel* m_model;
    QTreeView* m_tree;
    CellDelegate* m_delegate;
    BlockingGraphView* m_graph;
    QSplitter* m_splitter;
    QStackedWidget* m_stack;
    QLabel* m_empty;
    SnapshotPtr m_snapshot;
    QString m_countText;
    QSet<SessionKey> m_closed; ///< what the user closed stays closed
    bool m_applying = false;
    bool m_fitted = true; ///< no column was sized by the user: they fill the width
    bool m_arranging = false; ///< columns are being sized by us
    bool m_touched = false; ///< the user chose a row: don't choose one for him
};

} // namespace lockscope::ui
