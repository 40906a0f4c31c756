// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/kit/tables/ReportTable.h"
#include "ui/views/scenarios/RunText.h"

#include <QWidget>

class QSettings;

namespace lockscope::ui {

class BarChart;

/// Throughput, waits and violations of the variants, as charts and as a table.
class ComparisonPanel : public QWidget {
    Q_OBJECT

public:
    explicit ComparisonPanel(QSettings& settings, QWidget* parent = nullptr);

    void show(const std::vector<RunReportPtr>& reports);
    TableView& table() const { return *m_table; }
    report::Report report() const; ///< what is shown
    void saveLayout(QSettings& settings) const;
    /// The charts on paper, beside each other, with what their letters stand for.
    void paintCharts(QPainter& painter) const;
    QSize chartsSize() const;

Q_SIGNALS:
    /// A row was chosen: show its timeline and verdict.
    void chosen(const QString& variant);

private:
    struct Charts {
        explicit Charts(QWidget* parent = nullptr);
        void show(const std::vector<RunReportPtr>& reports);

        BarChart* throughput;
        BarChart* waits;
        BarChart* violations;
    };

    Charts m_charts;
    ReportTable* m_table;
    std::vector<RunReportPtr> m_reports;
};

} // namespace lockscope::ui
