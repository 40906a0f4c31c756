// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/SnapshotTables.h"
#include "ui/kit/models/TableModel.h"
#include "ui/views/page/TablePage.h"

class QCheckBox;

namespace lockscope::ui {

using report::SessionRow;

/// Every session: its state, its transaction, the locks that it holds and waits for. Unless a column sorts
/// them, those that block the most come first, then the longest waits, then the oldest transactions.
class SessionsModel : public KeyedTableModel<SessionRow, SessionKey> {
    Q_OBJECT

public:
    enum Column {
        Id,
        State,
        Waits,
        Transaction,
        Holds,
        WaitsFor,
        BlockedBy,
        Blocks,
        User,
        Program,
        Host,
        Statement,
        Database,
        InState,
        WaitEvent,
        Started
    };

    explicit SessionsModel(const AppContext& context, QObject* parent = nullptr);

    void showSnapshot(const SnapshotPtr& snapshot); ///< null = no rows
    /// Hides the server's own workers and our connections, and those that do nothing and hold nothing. Who
    /// blocks or waits is always shown.
    void hide(bool internal, bool idle);

    std::vector<report::Column> reportColumns() const override;
    std::vector<report::Value> reportCells(const QModelIndex& row) const override;

protected:
    SessionKey keyOf(const SessionRow& row) const override { return row.session.key(); }
    bool same(const SessionRow& before, const SessionRow& after) const override { return before == after; }
    QVariant cell(quint32 row, int column, int role) const override;
    SortKey sortKey(quint32 row, int column) const override;
    QString text(quint32 row, int column) const override;
    bool isNoise(quint32 row) const override;

private:
    Tone toneAt(const SessionRow& row, int column) const;

    const AppContext& m_context;
    ServerTime m_takenAt; ///< the snapshot's
    bool m_hidesInternal = false;
    bool m_hidesIdle = false;
};

/// "sessions": the locks that each holds and waits for, its transaction and statement.
class SessionsPage : public TablePage {
    Q_OBJECT

public:
    static inline const PageName pageName{QStringLiteral("sessions"), QStringLiteral("Sessions")};

    explicit SessionsPage(AppContext& context, QWidget* parent = nullptr);

    bool reveal(const DetailSubject& subject) override;

protected:
    void showRows(const SnapshotPtr& snapshot) override;
    DetailSubject subjectAt(int viewRow) const override { return m_model->rowAt(viewRow).session.key(); }
    EmptyText emptyText() const override;
    void deleteKeyPressed() override;
    void fillRowMenu(QMenu& menu) override;
    void updateActs() override;
    QString noiseText(int rows) const override;

private:
    const Session* currentSession() const;
    QList<Session> selectedSessions() const;

    SessionsModel* m_model;
    QCheckBox* m_hideInternal;
    QCheckBox* m_hideIdle;
    QPushButton* m_cancel = nullptr;
    QPushButton* m_end = nullptr;
};

} // namespace lockscope::ui
