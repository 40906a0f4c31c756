// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/TimeScale.h"
#include "ui/timetravel/BiographyLanes.h"

#include <QAbstractScrollArea>

#include <memory>

namespace lockscope::ui {

class BiographyPainter;

/// The history of a lock or a session, drawn. Wheel zooms where the mouse is, dragging moves, Shift+wheel
/// scrolls in time; a click is for that moment. All of it by keys, too.
class BiographyView : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit BiographyView(QWidget* parent = nullptr);
    ~BiographyView() override;
    Q_DISABLE_COPY_MOVE(BiographyView)

    /// Null: none, the words are shown instead.
    void show(BiographyPtr biography, ServerTime around);
    void setEmptyText(const QString& title, const QString& hint);

    void choose(qsizetype line); ///< −1: none
    qsizetype chosenLine() const { return m_line; }
    const TimeScale& scale() const { return m_scale; }
    /// What a click there is for; for tests, too.
    QPoint placeOf(qsizetype line) const;
    int neededHeight() const;
    QList<QAction*> buttonActions() const { return {m_previous, m_next, m_further, m_closer, m_all}; }

Q_SIGNALS:
    void lineChosen(qsizetype line);
    void momentRequested(lockscope::ServerTime at);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    QSize sizeHint() const override { return {600, 240}; }

private:
    struct Place {
        int lane = -1;
        ServerTime at;
    };
    Place placeAt(const QPointF& position) const;
    qsizetype lineAt(const Place& place) const; ///< −1: none
    microseconds reach() const; ///< of a few pixels
    void addKeys();
    void layOut();
    void makePainter();
    void setScale(TimeScale scale);
    void zoom(double factor, double x);
    void step(int lines);
    void goToLane(int way);
    void goToHandOver(int way);
    void reveal(qsizetype line);
    void requestMoment();
    int top() const; ///< where lane 0 begins

    BiographyPtr m_biography;
    std::vector<BiographyLane> m_lanes;
    std::unique_ptr<BiographyPainter> m_painter;
    TimeScale m_scale; ///< microseconds since 1970
    ServerTime m_around;
    bool m_showsAll = true;
    qsizetype m_line = -1;
    std::optional<QPoint> m_drag;
    bool m_hasMoved = false;
    QList<QAction*> m_actions;
    QAction* m_previous = nullptr;
    QAction* m_next = nullptr;
    QAction* m_further = nullptr;
    QAction* m_closer = nullptr;
    QAction* m_all = nullptr;
    QString m_emptyTitle;
    QString m_emptyHint;
};

} // namespace lockscope::ui
