// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/admin/ServerAdmin.h"
#include "ui/kit/models/CellStyle.h"
#include "ui/kit/models/KeyedTableModel.h"

namespace lockscope::ui {

/// What was done to locks and sessions, by whom and why; newest first.
class AuditModel : public KeyedTableModel<admin::AuditRecord, qint64> {
    Q_OBJECT

public:
    enum Column { At, Act, Target, Reason, Outcome, Who, From, Before, Number };

    explicit AuditModel(QObject* parent = nullptr);

    void showRecords(const QList<admin::AuditRecord>& records);

protected:
    qint64 keyOf(const admin::AuditRecord& row) const override { return row.id; }
    bool same(const admin::AuditRecord& before, const admin::AuditRecord& after) const override
    {
        return before == after;
    }
    QVariant cell(quint32 row, int column, int role) const override;
    SortKey sortKey(quint32 row, int column) const override;
    QString text(quint32 row, int column) const override;
};

} // namespace lockscope::ui
