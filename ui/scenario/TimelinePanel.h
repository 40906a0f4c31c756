// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/scenario/Timeline.h"

#include <QWidget>

class QLabel;
class QToolButton;

namespace lockscope::ui {

class TimelineLegend;
class TimelineView;

/// The timeline with its buttons, what is marked in words, and what the colours mean.
class TimelinePanel : public QWidget {
    Q_OBJECT

public:
    explicit TimelinePanel(QWidget* parent = nullptr);

    void show(const TimelinePtr& timeline); ///< null = none
    TimelineView& view() const { return *m_view; }

Q_SIGNALS:
    void locksRequested(int number, const QString& subject);

private:
    TimelineView* m_view;
    TimelineLegend* m_legend;
    QLabel* m_words;
    QList<QToolButton*> m_buttons;
};

} // namespace lockscope::ui
