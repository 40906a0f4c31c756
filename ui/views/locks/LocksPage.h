// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/page/TablePage.h"

class QCheckBox;
class QComboBox;

namespace lockscope::ui {

class LocksModel;

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
