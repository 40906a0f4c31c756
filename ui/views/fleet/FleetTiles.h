// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/fleet/FleetModel.h"

#include <QWidget>

class QLabel;

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

/// The servers as tiles for a wall screen, to be read from four metres: as many as fit, the worst first, and
/// the others counted.
class FleetTiles : public QWidget {
    Q_OBJECT

public:
    explicit FleetTiles(QWidget* parent = nullptr);

    /// `rows`: in the order in which they are to be seen. `only`: the filter that chose them; may be empty.
    void showServers(const std::vector<FleetRow>& rows, const QString& only);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();

    std::vector<FleetRow> m_rows;
    QString m_only;
    QLabel* m_counts;
    QLabel* m_more;
    std::vector<FleetTile*> m_tiles; ///< those beyond the rows are hidden
};

/// "and 52 more, all calm", "and 3 more: 1 warning, 2 calm": those from that place on; empty: there are none.
QString moreText(const std::vector<FleetRow>& rows, size_t from);

} // namespace lockscope::ui
