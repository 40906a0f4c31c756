// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/BlockingForest.h"
#include "ui/kit/models/ColumnInfo.h"
#include "ui/views/page/Page.h"

#include <QSet>

class QLabel;
class QMenu;
class QSplitter;
class QStackedWidget;

namespace lockscope::ui {

class BlockingGraphView;
class BlockingTreeModel;
class ChainView;
class FilterBox;
class NoticeBar;

/// The head blockers, and the sessions that wait for them: as a tree and as a drawing, with one selection.
class BlockingPage : public Page {
    Q_OBJECT

public:
    static inline const PageName pageName{QStringLiteral("blocking"), QStringLiteral("Blocking")};

    explicit BlockingPage(AppContext& context, QWidget* parent = nullptr);

    void showSnapshot(const SnapshotPtr& snapshot) override;
    void showHealth(monitor::Health health, const std::optional<Error>& error, milliseconds dataAge) override;
    bool reveal(const DetailSubject& subject) override;
    /// Says what connects the chains with those of another server; empty: nothing. `other`: its name, to go
    /// there.
    void showAcross(const QString& text, const QString& other);
    QString countText() const override { return m_countText; }
    void focusFilter() override;
    /// Sessions that match stay with those in front of them and behind them.
    void setFilter(const QString& filter) override;
    bool canExportCsv() const override;
    void saveLayout() override;

Q_SIGNALS:
    void otherServerRequested();

protected:
    Csv csv() const override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void connectTree();
    void applyFilter();
    void showForest();
    QString emptyText() const;
    QSet<SessionKey>& closed() { return m_filter.isEmpty() ? m_closed : m_closedWhileFiltered; }
    void apply(std::vector<BlockingNode> forest);
    void select(SessionKey key);
    void updateChapter();
    void expandNew(const QModelIndex& parent);
    void fillRowMenu(QMenu& menu);
    /// Side by side only where both can be read.
    void arrange();
    const LockRequest* waitOf(SessionId session) const;
    const Session* selectedSession() const;

    BlockingTreeModel* m_model;
    NoticeBar* m_across;
    ChainView* m_tree;
    FilterBox* m_filterBox;
    BlockingGraphView* m_graph;
    QSplitter* m_splitter;
    QStackedWidget* m_stack;
    QLabel* m_empty;
    SnapshotPtr m_snapshot;
    std::vector<BlockingNode> m_forest; ///< unfiltered
    RowFilter m_filter;
    QString m_unknownColumn; ///< in the typed filter at present
    int m_filteredOut = 0;
    int m_widestDrawing = 0; ///< since the page was empty; pixels
    QString m_countText;
    QSet<SessionKey> m_closed; ///< nodes that the user closed stay closed
    QSet<SessionKey> m_closedWhileFiltered; ///< each filter begins with all open
    bool m_applying = false;
    bool m_sized = false; ///< the user has moved the splitter
    bool m_touched = false; ///< the user chose a row: don't choose one for him
};

} // namespace lockscope::ui
