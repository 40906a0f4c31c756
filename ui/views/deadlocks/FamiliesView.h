// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/deadlock/Family.h"
#include "ui/kit/charts/TimeScale.h"
#include "ui/kit/tables/ReportTable.h"
#include "ui/views/deadlocks/DeadlockBook.h"

#include <QWidget>

#include <optional>
#include <vector>

class QCheckBox;
class QDateTimeEdit;
class QLabel;
class QSettings;

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
