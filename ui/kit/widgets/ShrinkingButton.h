// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>
#include <QStyleOptionButton>
#include <QStylePainter>

namespace lockscope::ui {

/// A button that gets by with little space: the end of its text gives way to dots, and what surrounds it need
/// not be as wide as the names in it, which are others'.
class ShrinkingButton : public QPushButton {
public:
    using QPushButton::QPushButton;

    QSize minimumSizeHint() const override { return {0, QPushButton::minimumSizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QStyleOptionButton option;
        initStyleOption(&option);
        const int space = style()->subElementRect(QStyle::SE_PushButtonContents, &option, this).width();
        option.text = fontMetrics().elidedText(option.text, Qt::ElideRight, space, Qt::TextShowMnemonic);
        QStylePainter(this).drawControl(QStyle::CE_PushButton, option);
    }
};

} // namespace lockscope::ui
