// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/deadlock/Deadlock.h"

#include <QWidget>

#include <optional>

class QPainter;

namespace lockscope::ui {

/// Draws a deadlock as rings, one below the other: sessions and the locks that they hold and wait for, in
/// turn, clockwise. A full line leads from a lock to its holder, a dashed one from a waiter to its lock; the
/// victim is crossed out.
class DeadlockPicture : public QWidget {
    Q_OBJECT

public:
    explicit DeadlockPicture(QWidget* parent = nullptr);

    /// Shows it; nothing: an empty place that says so.
    void show(const std::optional<deadlock::Deadlock>& deadlock);
    /// The same onto anything.
    static void paint(
        QPainter& painter, const QRectF& area, const deadlock::Deadlock& deadlock, const QPalette& palette);
    static QSize paperSize(const deadlock::Deadlock& deadlock);
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    std::optional<deadlock::Deadlock> m_deadlock;
};

} // namespace lockscope::ui
