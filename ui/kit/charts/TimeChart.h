// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/ServerTime.h"
#include "ui/kit/charts/Series.h"
#include "ui/kit/charts/TimeScale.h"

#include <QtCharts/QChartView>

#include <optional>

class QAreaSeries;
class QCategoryAxis;
class QLineSeries;

namespace lockscope::ui {

/// Takes from a chart what costs space or time: frame, scroll bars, background, smooth edges and animation.
/// `title` is for users who can't see it.
void setUpPlot(QChartView& view, const QString& title, const QMargins& margins);

/// The data of a chart.
struct ChartData {
    QList<ChartSeries> series; ///< all with the same x values
    QList<ChartGap> gaps;
    ServerTime newest; ///< the time at the right end
    std::chrono::seconds shown{120}; ///< from the left end to the right one
    bool isPast = false; ///< the right end is not the present
    QString note{}; ///< "Last poll 03:12:07", in the picture
    QString nothing = QStringLiteral("nobody waited"); ///< shown for a time whose bands are all empty
};

/// The last minutes of a figure: one line with a filled foot, or bands on top of each other. No antialiasing,
/// no animation: it is redrawn with every poll. Below the mouse, and by the keys Left, Right, Home and End, a
/// time is marked and its values are shown; a click or Enter chooses it.
class TimeChart : public QChartView {
    Q_OBJECT

public:
    enum class Kind { Line, Stacked };
    enum class Unit { Count, Duration };

    /// `title` is for users who can't see the chart.
    TimeChart(Kind kind, Unit unit, const QString& title, QWidget* parent = nullptr);

    void setData(const ChartData& given);
    QString note() const { return m_data.note; }
    int plotPixels() const; ///< the number of points worth drawing
    QColor seriesColor(int index, int count) const; ///< the last of stacked ones is "all the rest"
    /// Returns "03:12:07: public.orders 3, all others 1", for the marked time; empty if none is.
    QString markedText() const;
    QStringList timeLabels() const; ///< "−2", "−1 min", "now"

Q_SIGNALS:
    /// The user asks for the rows of that time. Invalid: nothing was read then.
    void timeChosen(lockscope::ServerTime time);

protected:
    void drawForeground(QPainter* painter, const QRectF& rect) override;
    void changeEvent(QEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
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
    void showTime(std::chrono::seconds shown, bool isPast);
    TimeScale timeScale() const; ///< of the plot
    int pointAt(double x) const; ///< -1: nothing was read then
    ServerTime timeOf(int point) const;
    void mark(int point);
    int pointMarked() const; ///< -1: none, or the time is newer than all
    QStringList markedValues() const;
    void choose(int point);

    Kind m_kind;
    Unit m_unit;
    QCategoryAxis* m_time;
    QCategoryAxis* m_value;
    QList<Band> m_bands;
    ChartData m_data;
    std::optional<ServerTime> m_marked; ///< the time stays while the points move on
    double m_top = 0;
};

} // namespace lockscope::ui
