// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/deadlock/Family.h"
#include "ui/kit/charts/TimeScale.h"

#include <QWidget>

#include <optional>

namespace lockscope::ui {

/// The layout of a family's counts over time.
struct FamilySpan {
    ServerTime from; ///< of the first bar
    microseconds step{3'600'000'000}; ///< of one bar: a minute, an hour, a day or a week
    int count = 0; ///< of bars

    /// Returns the span from the first deadlock to the last one of all of them, so that families compare.
    static FamilySpan of(const QList<deadlock::Family>& families);
    QString stepName() const; ///< "hour"
};

/// One family's deadlocks over time as bars, and the date that divides them. A click sets the date, the keys
/// Left and Right move it by a bar.
class FamilyChart : public QWidget {
    Q_OBJECT

public:
    explicit FamilyChart(QWidget* parent = nullptr);

    /// Nothing: no family is selected.
    void show(const std::optional<deadlock::Family>& family, const FamilySpan& span);
    void setDate(const std::optional<ServerTime>& date);
    const QList<int>& counts() const { return m_counts; }
    QSize sizeHint() const override { return {400, 120}; }
    QSize minimumSizeHint() const override { return {160, 90}; }

Q_SIGNALS:
    void dateChosen(lockscope::ServerTime date);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRectF plot() const;
    ServerTime startOf(int bar) const { return m_span.from + m_span.step * bar; }
    TimeScale timeScale() const
    {
        return {m_span.from.us, startOf(int(m_counts.size())).us, int(plot().width())};
    }
    int barAt(double x) const; ///< -1: beside the bars
    void paintDate(QPainter& painter, const QRectF& area) const;
    void describe();

    std::optional<deadlock::Family> m_family;
    FamilySpan m_span;
    QList<int> m_counts;
    std::optional<ServerTime> m_date;
};

} // namespace lockscope::ui
