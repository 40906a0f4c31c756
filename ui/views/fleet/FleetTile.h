// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/fleet/FleetModel.h"

#include <QWidget>

namespace lockscope::ui {

/// One server on a wall screen: its state as a sign, a word and a colour, its name, who waits for how long,
/// and why.
class FleetTile : public QWidget {
    Q_OBJECT

public:
    using QWidget::QWidget;

    /// `letters`: the height of the name, in pixels; the rest is in proportion.
    void show(const FleetRow& row, int letters);
    static QSize sizeFor(int letters); ///< least

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QFont font(double factor, QFont::Weight weight = QFont::Normal) const;
    QString waitText() const;
    void paintMark(QPainter& painter, QRect& line) const;

    FleetRow m_row;
    int m_letters = 30;
};

} // namespace lockscope::ui
