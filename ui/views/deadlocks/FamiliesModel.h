// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/deadlock/Family.h"
#include "ui/kit/models/KeyedTableModel.h"

#include <optional>

namespace lockscope::ui {

struct FamilyRow {
    deadlock::Family family;
    std::optional<std::pair<int, int>> around; ///< before the date, and from it on; nothing: no date is set

    bool operator==(const FamilyRow& other) const
    {
        return family.id == other.family.id && family.members.size() == other.family.members.size()
            && family.first == other.family.first && family.last == other.family.last
            && around == other.around;
    }
};

/// Families of deadlocks, the most frequent first.
class FamiliesModel : public KeyedTableModel<FamilyRow, QString> {
    Q_OBJECT

public:
    enum Column { Title, Count, First, Last, Before, After, Id };

    explicit FamiliesModel(QObject* parent = nullptr);

    /// `date`: what Before and After are about.
    void showFamilies(const QList<deadlock::Family>& families, const std::optional<ServerTime>& date);

protected:
    QString keyOf(const FamilyRow& row) const override { return row.family.id; }
    bool same(const FamilyRow& before, const FamilyRow& after) const override { return before == after; }
    QVariant cell(quint32 row, int column, int role) const override;
    SortKey sortKey(quint32 row, int column) const override;
    QString text(quint32 row, int column) const override;
};

} // namespace lockscope::ui
