// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/kit/tables/ReportTable.h"
#include "ui/views/deadlocks/DeadlocksModel.h"
#include "ui/views/deadlocks/FamilyChart.h"

#include <QWidget>

#include <optional>
#include <vector>

class QCheckBox;
class QDateTimeEdit;
class QLabel;
class QSettings;

namespace lockscope::ui {

/// The list of deadlocks by family: how often, first and last seen, over time, and before and after a date
/// that the user sets.
class FamiliesView : public QWidget {
    Q_OBJECT

public:
    explicit FamiliesView(QWidget* parent = nullptr);

    void show(const std::vector<DeadlockRow>& rows);
    TableView& table() const { return *m_table; }
    FamilyChart& chart() const { return *m_chart; }
    /// Nothing: no date divides them.
    std::optional<ServerTime> date() const;
    void setDate(const std::optional<ServerTime>& date);

    void saveLayout(QSettings& settings) const;
    void restoreLayout(QSettings& settings);

Q_SIGNALS:
    /// Enter or a double click: the deadlocks of that family.
    void familyChosen(const QString& id);

private:
    void showFamilies();
    void showChosen();

    ReportTable* m_table;
    FamilyChart* m_chart;
    QCheckBox* m_divides;
    QDateTimeEdit* m_date;
    QLabel* m_says;
    QLabel* m_totals;
    QList<deadlock::Family> m_families;
};

} // namespace lockscope::ui
