// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/kit/models/TableModel.h"
#include "ui/views/locks/LockView.h"
#include "ui/views/page/TablePage.h"

class QCheckBox;
class QComboBox;

namespace lockscope::ui {

/// Every holder and waiter, one row a request; grouped on demand. Unless a column sorts them, resources with
/// waiters come first, the longest wait on top, and of each its holders before its waiters in queue order.
class LocksModel : public KeyedTableModel<LockRow, LockRowKey, std::shared_ptr<const LockView>> {
    Q_OBJECT

public:
    enum Column {
        Group,
        State,
        AgeColumn,
        Mode,
        ResourceName,
        FrameworkColumn,
        FrameworkLock,
        Kind,
        SessionColumn,
        BlockedBy,
        Blocks,
        User,
        Program,
        Statement,
        Host,
        Database,
        Owner,
        Count
    };

    explicit LocksModel(const AppContext& context, QObject* parent = nullptr);

    void showSnapshot(const SnapshotPtr& snapshot); ///< null = no rows
    void setGrouping(LockGrouping grouping);

    /// The request of a view row; null for the head of a group.
    const LockRequest* requestAt(int viewRow) const;
    std::optional<LockRequestKey> keyAt(int viewRow) const;
    const Session* sessionAt(int viewRow) const; ///< also of a session's group
    /// Returns the framework of the lock; of groups only if it is that of all their rows. Null: none.
    FrameworkMatchPtr frameworkAt(int viewRow) const;
    int findRequest(const LockRequestKey& key) const; ///< view row or −1

    std::vector<report::Column> reportColumns() const override;
    std::vector<report::Value> reportCells(const QModelIndex& row) const override;

protected:
    LockRowKey keyOf(const LockRow& row) const override { return {row}; }
    bool same(const LockRow& before, const LockRow& after) const override;
    QVariant cell(quint32 row, int column, int role) const override;
    SortKey sortKey(quint32 row, int column) const override;
    QString text(quint32 row, int column) const override;
    report::Value value(quint32 row, int column) const override;
    bool isNoise(quint32 row) const override;
    bool isCounted(quint32 row) const override { return !rows()[row].head; }
    bool isHierarchical() const override { return anchor() && anchor()->grouping != LockGrouping::None; }
    quint32 parentOf(quint32 row) const override;
    QString nodeId(quint32 row) const override { return rows()[row].view->groups[rows()[row].index].id; }

private:
    static const FrameworkMatchPtr& frameworkAt(const LockRow& row);
    QString headText(const LockView& view, const LockView::Group& group, int column) const;
    QString requestText(const LockView& view, quint32 request, int column) const;
    SortKey headKey(const LockView& view, const LockView::Group& group, int column) const;
    QString tipOf(quint32 row, int column) const;
    Tone toneOfAge(const LockView& view, quint32 request) const;

    bool sameResource(const LockRow& before, const LockRow& after) const;

    const AppContext& m_context;
    /// By resource of the new snapshot: true if it is shown as before. Many locks share one, and texts are
    /// long.
    mutable std::vector<std::optional<bool>> m_sameResource;
    LockGrouping m_grouping = LockGrouping::None;
};

/// "locks": every holder and waiter, one row a request, grouped on demand.
class LocksPage : public TablePage {
    Q_OBJECT

public:
    static inline const PageName pageName{QStringLiteral("locks"), QStringLiteral("Locks")};

    explicit LocksPage(AppContext& context, QWidget* parent = nullptr);

    bool reveal(const DetailSubject& subject) override;
    void saveLayout() override;
    /// Returns whether the locks that are hidden by default are to be read at all.
    bool showsInternal() const;
    /// Returns the same as it will be once the page is made.
    static bool showsInternal(const QSettings& settings);

Q_SIGNALS:
    void showsInternalChanged();

protected:
    void showRows(const SnapshotPtr& snapshot) override;
    DetailSubject subjectAt(int viewRow) const override;
    QString chapterAt(int viewRow) const override;
    EmptyText emptyText() const override;
    void deleteKeyPressed() override;
    void fillRowMenu(QMenu& menu) override;
    void updateActs() override;

private:
    void setGrouping(int index);
    const Session* currentSession() const;

    LocksModel* m_model;
    QComboBox* m_grouping;
    QCheckBox* m_hideInternal;
    QPushButton* m_end = nullptr;
};

} // namespace lockscope::ui
