// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/deadlock/DeadlockIdentity.h"
#include "core/deadlock/Family.h"
#include "ui/kit/models/KeyedTableModel.h"

namespace lockscope::ui {

/// A deadlock with what is worked out of it once.
struct DeadlockRow {
    deadlock::Deadlock deadlock;
    deadlock::DeadlockIdentity identity; ///< its server as the window names it
    QString family; ///< id
    QString title; ///< of the family
    QString tables;
    int familyCount = 0; ///< the number of its members in the list

    bool operator==(const DeadlockRow& other) const
    {
        return identity.event == other.identity.event && familyCount == other.familyCount;
    }
};

/// A row for each deadlock of the report, not counted yet. Takes its time where statements are long; any
/// thread.
std::vector<DeadlockRow> deadlockRows(const deadlock::ReportPtr& report);

/// Deadlocks that were read or seen, the newest first.
class DeadlocksModel : public KeyedTableModel<DeadlockRow, QString> {
    Q_OBJECT

public:
    enum Column { At, Kind, Sessions, Tables, Victim, Family, Count, From };

    explicit DeadlocksModel(QObject* parent = nullptr);

    /// Counts the families of what deadlockRows() gave.
    void showDeadlocks(std::vector<DeadlockRow> rows);

protected:
    QString keyOf(const DeadlockRow& row) const override { return row.identity.event; }
    bool same(const DeadlockRow& before, const DeadlockRow& after) const override { return before == after; }
    QVariant cell(quint32 row, int column, int role) const override;
    SortKey sortKey(quint32 row, int column) const override;
    QString text(quint32 row, int column) const override;
    report::Value value(quint32 row, int column) const override;
};

/// Sessions by their labels, "52 and 63", "3 sessions" if they are many.
QString sessionsText(const deadlock::Deadlock& deadlock);

} // namespace lockscope::ui
