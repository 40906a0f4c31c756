// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/scenarios/Timeline.h"

#include <QWidget>

class QLabel;
class QPushButton;

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
    }; ///< takes the space that there is, or just as much as its lanes need, without buttons
    explicit TimelinePanel(Shape shape, QWidget* parent = nullptr);

    void show(const TimelinePtr& timeline); ///< null = none
    /// Letters that much larger than usual, and no buttons, for a hall.
    void setMagnification(double factor);
    /// Sets a page's button below the words that are shown while there is no timeline; empty = none.
    void setEmptyAction(const QString& text);
    TimelineView& view() const { return *m_view; }

Q_SIGNALS:
    void chosen(const QString& description); ///< of what is marked
    void emptyActionTriggered();
    void locksRequested(int number, const QString& subject);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeFoot();
    void arrange();

    const Shape m_shape;
    bool m_hasTimeline = false;
    TimelineView* m_view;
    TimelineLegend* m_legend;
    QWidget* m_foot = nullptr; ///< of a page only, as what is in it
    QLabel* m_words = nullptr;
    QPushButton* m_emptyAction = nullptr; ///< of a page only
    double m_factor = 1;
};

} // namespace lockscope::ui
