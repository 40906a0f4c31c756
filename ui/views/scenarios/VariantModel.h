// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/scenario/run/FreeRun.h"
#include "ui/kit/models/CellStyle.h"
#include "ui/kit/models/KeyedTableModel.h"

namespace lockscope::ui {

using RunReportPtr = std::shared_ptr<const scenario::RunReport>;

/// The variants of a scenario that have run, side by side.
class VariantModel : public KeyedTableModel<RunReportPtr, QString> {
    Q_OBJECT

public:
    enum Column { Title, Strategy, Outcome, Rounds, Items, Half, Most, Longest, Violations, Tries, Verdict };

    explicit VariantModel(QObject* parent = nullptr);
    void show(const std::vector<RunReportPtr>& reports);

protected:
    QString keyOf(const RunReportPtr& row) const override { return row->variant; }
    bool same(const RunReportPtr& before, const RunReportPtr& after) const override
    {
        return before == after;
    }
    QVariant cell(quint32 row, int column, int role) const override;
    SortKey sortKey(quint32 row, int column) const override;
    QString text(quint32 row, int column) const override;

private:
    const scenario::Variant& variantOf(quint32 row) const;
};

/// "went wrong" or "not observed".
QString outcomeText(const scenario::RunReport& report);
/// Stands for a variant below its bars, where a title has no room.
QString variantLetter(std::size_t row);
/// "812", "8.1".
QString rateText(double perSecond);

} // namespace lockscope::ui
