// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProxyStyle>

class QHeaderView;

namespace lockscope::ui {

/// Column titles stand exactly above the texts of their cells.
class HeaderStyle : public QProxyStyle {
    Q_OBJECT

public:
    /// Gives `header` this style and a height with some air.
    static void applyTo(QHeaderView& header);
    static int heightFor(const QFontMetrics& metrics);

    void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
        const QWidget* widget) const override;
};

} // namespace lockscope::ui
