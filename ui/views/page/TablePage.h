// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/page/Page.h"

class QBoxLayout;
class QCheckBox;
class QHBoxLayout;
class QMenu;
class QPushButton;
class QSplitter;
class QTimer;

namespace lockscope::ui {

class FilterBox;
class NoticeBar;
class TableModel;
class TableView;

/// A page that is one table: filter box, buttons and messages round it.
class TablePage : public Page {
    Q_OBJECT

public:
    using Page::Page;

    void showSnapshot(const SnapshotPtr& snapshot) override;
    void showHealth(monitor::Health health, const std::optional<Error>& error, milliseconds dataAge) override;
    void focusFilter() override;
    void setFilter(const QString& filter) override;
    void selectNothing() override;
    bool canExportCsv() const override;
    QString countText() const override;
    void saveLayout() override;

    TableView& view() const { return *m_view; }

protected:
    bool event(QEvent* event) override;
    Csv csv() const override;

    struct EmptyText {
        QString title;
        QString hint;
        QString action{}; ///< of a button below; pressed: emptyActionPressed
    };

    /// Called once by the constructor of the page: builds everything round `model`, which it adopts.
    void setUp(TableModel* model);
    /// Puts a splitter in the place of the view, between `rows`, which is the view or gets it next, and what
    /// is `below`. The layout remembers its state.
    void divideView(QWidget* rows, QWidget* below);
    void addControl(QWidget* control); ///< behind the filter box
    /// Checks a box as it was left, else as `otherwise`, and keeps each change.
    void keepChoice(QCheckBox& box, const QString& name, bool otherwise);
    static QString choiceKey(const QString& pageId, const QString& name); ///< in the settings
    /// A button at the right end. `what` is its tooltip while it is enabled.
    QPushButton* addActButton(const QString& text, const QString& what);

    FilterBox& filter() const { return *m_filter; }
    const SnapshotPtr& snapshot() const { return m_snapshot; }
    NoticeBar& notice() const { return *m_notice; } ///< below the rows
    QString layoutGroup() const;

    virtual void showRows(const SnapshotPtr& snapshot) = 0;
    virtual DetailSubject subjectAt(int) const { return {}; } ///< of the view row
    /// Returns why there are no rows although a snapshot is there and nothing is filtered.
    virtual EmptyText emptyText() const = 0;
    virtual void deleteKeyPressed() { }
    virtual void emptyActionPressed() { }
    virtual QString reasonAgainstEmptyAction() const { return context().reasonAgainstActing(); }
    virtual void fillRowMenu(QMenu&) { }
    /// Rows, selection or server have changed: enable and disable.
    virtual void updateActs() { }
    virtual QString noiseText(int rows) const;

    /// Shows emptyText(), or why there are no rows yet.
    void updateEmptyState();

    /// The part of the manual that explains a row, where it is another one than the page's: for F1.
    virtual QString chapterAt(int) const { return {}; }

    /// Hides columns that are empty most of the time: once they have come they stay, or all would jump.
    /// Without a snapshot they go.
    void hideUntil(bool isThere, const SnapshotPtr& snapshot, const QStringList& columns);
    /// The same for those that say something of waits only.
    void hideUntilSomebodyWaits(const SnapshotPtr& snapshot, const QStringList& columns);

private:
    void connectView();
    QString splitterKey() const;
    void applyFilter();
    void emitSelection();
    void updateChapter();

    TableModel* m_model = nullptr;
    TableView* m_view = nullptr;
    FilterBox* m_filter = nullptr;
    QString m_unknownColumn; ///< in the typed filter at present
    QTimer* m_filterDelay = nullptr;
    QSplitter* m_splitter = nullptr; ///< null: nothing is below the view
    QBoxLayout* m_head = nullptr; ///< the filter box with the controls, and the buttons
    QHBoxLayout* m_controls = nullptr;
    QHBoxLayout* m_acts = nullptr;
    NoticeBar* m_notice = nullptr;
    SnapshotPtr m_snapshot;
    monitor::Health m_health = monitor::Health::Connecting;
    std::optional<Error> m_error;
};

} // namespace lockscope::ui
