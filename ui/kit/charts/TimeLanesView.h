// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/kit/charts/TimeScale.h"

#include <QAbstractScrollArea>
#include <QAction>

#include <functional>
#include <optional>

namespace lockscope::ui {

/// Lanes below an axis of time, of which a part is on view. Wheel zooms where the mouse is, dragging moves,
/// Shift+wheel scrolls in time, and over the names the wheel scrolls through the lanes; by keys, too. What
/// stands in the lanes is the matter of those who derive from it.
class TimeLanesView : public QAbstractScrollArea {
    Q_OBJECT

public:
    /// Sets the text that is shown while there is nothing to draw.
    void setEmptyText(const QString& title, const QString& hint);
    const TimeScale& scale() const { return m_scale; } ///< microseconds
    void showAll();

protected:
    /// The measures of the drawing.
    struct Measures {
        int gutter = 0; ///< the width of the names
        int axisHeight = 0;
        int laneHeight = 0;
        int lanes = 0;
        qint64 from = 0; ///< all there is, in microseconds
        qint64 to = 0;
    };
    struct Place {
        int lane = -1; ///< −1 = none
        qint64 at = 0;
    };

    /// `keyGroup`: see addKey(). `closest`: microseconds on view at the least.
    TimeLanesView(const QString& keyGroup, qint64 closest, QWidget* parent);

    /// Enabled while there is something to draw.
    QAction* add(const QString& text, const QList<QKeySequence>& keys, std::function<void()> act);
    /// Further away, closer, all of it.
    void addZooming(const QString& all);
    void addPaging();
    QList<QAction*> zoomActions() const { return m_zoomActions; }

    /// Returns nothing while there is nothing to draw.
    virtual std::optional<Measures> measures() const = 0;
    /// Makes a painter for other contents, colours or letters.
    virtual void makePainter() = 0;
    /// Sets the lanes' height to fill that space, within reason.
    virtual void fitLanes(int) { }
    virtual bool isLane(int) const { return true; }
    virtual std::optional<qint64> markedTime() const = 0; ///< keys zoom there
    virtual QString describe(const Place& place) const = 0; ///< plain text; for the tooltip
    virtual void clicked(const Place& place) = 0;
    virtual void paint(QPainter& painter, const QRect& axis, const QRect& lanes) const = 0;

    /// Other contents: `description` is for those who don't see them. `isNew`: all of it is shown.
    void showContents(const QString& description, bool isNew);
    void layOut();
    void moveBy(qint64 microseconds);
    void showRange(qint64 from, qint64 to);
    void revealLane(int lane);
    Place placeAt(const QPointF& position) const;
    int top() const; ///< of lane 0
    qint64 reach() const; ///< microseconds of a few pixels: marks that near the mouse are described

    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    void setScale(const TimeScale& scale);
    void zoom(double factor, double x);
    void zoomAtMark(double factor);
    void setBars(const Measures& all);
    void paintEmpty(QPainter& painter) const;

    const QString m_keyGroup;
    const qint64 m_closest;
    TimeScale m_scale;
    bool m_showsAll = true; ///< until the user zooms
    std::optional<QPoint> m_drag; ///< the last place of the mouse
    bool m_hasMoved = false;
    bool m_isSettingBars = false;
    QList<QAction*> m_actions;
    QList<QAction*> m_zoomActions;
    QString m_emptyTitle;
    QString m_emptyHint;
};

} // namespace lockscope::ui
