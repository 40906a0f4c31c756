// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProxyStyle>

namespace lockscope::ui {

/// Fusion with air round the words on buttons, radio buttons whose choice is seen from afar, and frames of
/// fields and buttons that stand out against the window (a contrast of at least 3:1; Fusion's own is far
/// below that in the dark).
class RoomyFusion : public QProxyStyle {
public:
    RoomyFusion();

    QSize sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
        const QWidget* widget) const override;
    void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
        const QWidget* widget) const override;
    void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option, QPainter* painter,
        const QWidget* widget) const override;
};

} // namespace lockscope::ui
