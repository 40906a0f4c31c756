// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Snapshot.h"
#include "ui/views/page/TablePage.h"

#include <functional>
#include <optional>

class QLabel;

namespace lockscope::ui {

class LockTableModel;

/// "lock-table": the names of the lock tables, their leases and queues; release, purge, acquire.
class LockTablePage : public TablePage {
    Q_OBJECT

public:
    static inline const PageName pageName{QStringLiteral("lock-table"), QStringLiteral("Lock table")};

    explicit LockTablePage(AppContext& context, QWidget* parent = nullptr);

    bool reveal(const DetailSubject& subject) override;

Q_SIGNALS:
    /// The user asks for a table that somebody else owns: the keeper of the profiles asks first whether the
    /// user knows what that means.
    void readRequested(const lockscope::UnreadTable& table);

protected:
    void showRows(const SnapshotPtr& snapshot) override;
    DetailSubject subjectAt(int viewRow) const override;
    QString chapterAt(int viewRow) const override;
    EmptyText emptyText() const override;
    void deleteKeyPressed() override;
    void emptyActionPressed() override;
    void fillRowMenu(QMenu& menu) override;
    void updateActs() override;

private:
    /// Returns the entry of the current row, or of the name that its waiter waits for.
    const LockTableEntry* currentEntry() const;
    QString reasonAgainstRelease() const;
    const Limitation* missingSchema() const;
    void showNotice();
    void showReading();

    LockTableModel* m_model;
    QLabel* m_reading; ///< with whose rights frameworks' tables are read
    std::optional<UnreadTable> m_unread; ///< the subject of the notice
    QPushButton* m_release = nullptr;
    QPushButton* m_purge = nullptr;
    QPushButton* m_acquire = nullptr;
};

/// Asks once whether a table of somebody else is to be read, and says what that means. `agreed` is called if
/// it is; not after `window` has gone.
void askToRead(const UnreadTable& table, const db::ServerProfile& profile, QWidget& window,
    const std::function<void()>& agreed);

} // namespace lockscope::ui
