// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtCharts/QChartView>

class QBarCategoryAxis;
class QBarSeries;
class QValueAxis;
class QLogValueAxis;

namespace lockscope::ui {

/// One group of bars for each variant. Colours, axis and numbers follow the theme.
class BarChart : public QChartView {
    Q_OBJECT

public:
    enum class Scale { Linear, Logarithmic };
    /// `title` is what a reader with no sight hears.
    BarChart(const QString& title, Scale scale, QWidget* parent = nullptr);

    struct Bars {
        QString name; ///< of the series, in the legend; empty = no legend
        QList<double> values; ///< one for each category
    };
    /// `alarm`: the bars of these are bad.
    void show(const QStringList& categories, const QList<Bars>& bars, bool alarm = false);

protected:
    void changeEvent(QEvent* event) override;
    QSize sizeHint() const override { return {240, 150}; }
    QSize minimumSizeHint() const override { return {130, 76}; }

private:
    void applyColors();

    QBarSeries* m_series;
    QBarCategoryAxis* m_categories;
    QValueAxis* m_linear = nullptr;
    QLogValueAxis* m_logarithmic = nullptr;
    bool m_isAlarm = false;
};

} // namespace lockscope::ui
