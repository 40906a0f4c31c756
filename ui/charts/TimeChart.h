// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/Series.h"

#include <QtCharts/QChartView>

class QAreaSeries;
class QCategoryAxis;
class QLineSeries;

namespace lockscope::ui {

/// The last 15 minutes of something: one line with a filled foot, or bands on top of each other. No
/// antialiasing, no animation: it is redrawn with every poll.
class TimeChart : public QChartView {
    Q_OBJECT

public:
    enum class Kind { Line, Stacked };
    enum class Unit { Count, Duration };

    TimeChart(Kind kind, Unit unit, QWidget* parent = nullptr);

    void setData(const QList<ChartSeries>& series, const QList<ChartGap>& gaps);
    int plotPixels() const; ///< how many points are worth drawing
    QColor seriesColor(int index, int count) const; ///< the last of stacked ones is "all the rest"

protected:
    void drawForeground(QPainter* painter, const QRectF& rect) override;
    void changeEvent(QEvent* event) override;
    QSize sizeHint() const override { return {240, 130}; }
    QSize minimumSizeHint() const override { return {140, 90}; }

private:
    struct Band {
        QLineSeries* upper;
        QLineSeries* lower;
        QAreaSeries* area;
    };
    void ensureBands(int count);
    void applyColors();
    void scaleTo(double highest);

    Kind m_kind;
    Unit m_unit;
    QCategoryAxis* m_time;
    QCategoryAxis* m_value;
    QList<Band> m_bands;
    QList<ChartGap> m_gaps;
    double m_top = 0;
};

} // namespace lockscope::ui
