// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/scenario/Timeline.h"

#include <QWidget>

class QLabel;

namespace lockscope::ui {

class TimelineLegend;
class TimelineView;

/// The timeline with its buttons, what is marked in words, and what the colours mean.
class TimelinePanel : public QWidget {
    Q_OBJECT

public:
    enum class Shape {
        Page,
        Strip
    }; ///< takes the room that there is, or just what its lanes need, without buttons
    explicit TimelinePanel(Shape shape, QWidget* parent = nullptr);

    void show(const TimelinePtr& timeline); ///< null = none
    TimelineView& view() const { return *m_view; }

Q_SIGNALS:
    void chosen(const QString& description); ///< of what is marked
    void locksRequested(int number, const QString& subject);

private:
    QWidget* makeFoot();

    const Shape m_shape;
    TimelineView* m_view;
    TimelineLegend* m_legend;
    QWidget* m_foot = nullptr; ///< of a page only, as what is in it
    QLabel* m_words = nullptr;
};

} // namespace lockscope::ui
