// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/scenario/VariantModel.h"

#include <QWidget>

class QSettings;

namespace lockscope::ui {

class BarChart;
class TableView;

/// Throughput, waits and violations of the variants, as charts and as a table.
class ComparisonPanel : public QWidget {
    Q_OBJECT

public:
    explicit ComparisonPanel(QSettings& settings, QWidget* parent = nullptr);

    void show(const std::vector<RunReportPtr>& reports);
    TableView& table() const { return *m_table; }
    void saveLayout(QSettings& settings) const;
    /// The three charts, beside each other, as they are on view.
    void paintCharts(QPainter& painter, const QRectF& area) const;
    QSize chartsSize() const;

Q_SIGNALS:
    /// A row was chosen: show its timeline and verdict.
    void chosen(const QString& variant);
    void statusMessage(const QString& text);
    void exportRequested();

private:
    VariantModel* m_model;
    BarChart* m_throughput;
    BarChart* m_waits;
    BarChart* m_violations;
    TableView* m_table;
};

} // namespace lockscope::ui
