// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/order/PotentialDeadlock.h"
#include "ui/kit/models/CellStyle.h"
#include "ui/kit/models/KeyedTableModel.h"

#include <QSet>

namespace lockscope::ui {

/// A potential deadlock as the list shows it.
struct OrderRow {
    order::PotentialDeadlock found;
    bool isMuted = false;
};

/// Locks that were taken in opposite orders, the highest rank first.
class OrderModel : public KeyedTableModel<OrderRow, QString> {
    Q_OBJECT

public:
    enum Column { What, Count, Waited, Last, Basis, Sessions, Database };

    explicit OrderModel(QObject* parent = nullptr);
    void showFindings(const QList<order::PotentialDeadlock>& found, const QSet<QString>& muted);

protected:
    QString keyOf(const OrderRow& row) const override { return row.found.id; }
    bool same(const OrderRow& before, const OrderRow& after) const override;
    QVariant cell(quint32 row, int column, int role) const override;
    SortKey sortKey(quint32 row, int column) const override;
    QString text(quint32 row, int column) const override;
};

} // namespace lockscope::ui
