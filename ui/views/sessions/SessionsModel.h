// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/SnapshotTables.h"
#include "ui/kit/models/KeyedTableModel.h"

namespace lockscope::ui {

class AppContext;

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

} // namespace lockscope::ui
