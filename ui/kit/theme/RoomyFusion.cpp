// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/kit/theme/RoomyFusion.h"

#include "ui/kit/theme/Theme.h"

#include <QPainter>
#include <QStyleOption>

#include <algorithm>

namespace lockscope::ui {

namespace {

/// Over Fusion's own frame; with the focus that one is the palette's highlight, and stays.
void drawFrame(QPainter& painter, const QStyleOption& option)
{
    if (option.state.testFlag(QStyle::State_HasFocus))
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme::colors(option.palette).border);
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    painter.restore();
}

/// In one colour: Fusion's gradient takes disabled text's contrast in the dark.
void drawButton(QPainter& painter, const QStyleOption& option)
{
    const ThemeColors& colors = theme::colors(option.palette);
    const bool isEnabled = option.state.testFlag(QStyle::State_Enabled);
    const bool isDown =
        option.state.testFlag(QStyle::State_Sunken) || option.state.testFlag(QStyle::State_On);
    const bool isHot = isEnabled && option.state.testFlag(QStyle::State_MouseOver);
    const auto* button = qstyleoption_cast<const QStyleOptionButton*>(&option);
    const bool isDefault = button && button->features.testFlag(QStyleOptionButton::DefaultButton);
    const bool isChosen = isEnabled && (isDefault || option.state.testFlag(QStyle::State_HasFocus));
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(isChosen ? colors.accent : colors.border);
    painter.setBrush(isDown ? option.palette.color(QPalette::Mid)
            : isHot         ? colors.infoFill
                            : option.palette.color(QPalette::Button));
    painter.drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.restore();
}

void drawRadioButton(QPainter& painter, const QStyleOption& option)
{
    const ThemeColors& colors = theme::colors(option.palette);
    const bool isOn = option.state.testFlag(QStyle::State_On);
    const QColor ink = !option.state.testFlag(QStyle::State_Enabled) ? option.palette.color(QPalette::Text)
        : isOn                                                       ? colors.accent
                                                                     : colors.muted;
    const double side = std::min(option.rect.width(), option.rect.height());
    const QRectF ring(option.rect.x() + 1, option.rect.y() + 1, side - 2, side - 2);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(ink, option.state.testFlag(QStyle::State_HasFocus) || isOn ? 2 : 1.2));
    painter.setBrush(option.state.testFlag(QStyle::State_Sunken) ? colors.infoFill
                                                                 : option.palette.color(QPalette::Window));
    painter.drawEllipse(ring);
    if (isOn) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(ink);
        painter.drawEllipse(ring.adjusted(3, 3, -3, -3));
    }
    painter.restore();
}

} // namespace

RoomyFusion::RoomyFusion()
    : QProxyStyle(QStringLiteral("Fusion"))
{
}

QSize RoomyFusion::sizeFromContents(
    ContentsType type, const QStyleOption* option, const QSize& contents, const QWidget* widget) const
{
    const QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
    return type == CT_PushButton ? size + QSize(14, 2) : size;
}

void RoomyFusion::drawPrimitive(
    PrimitiveElement element, const QStyleOption* option, QPainter* painter, const QWidget* widget) const
{
    if (element == PE_IndicatorRadioButton) {
        drawRadioButton(*painter, *option);
        return;
    }
    if (element == PE_PanelButtonCommand) {
        drawButton(*painter, *option);
        return;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
    if (element == PE_FrameLineEdit || element == PE_IndicatorCheckBox)
        drawFrame(*painter, *option);
}

void RoomyFusion::drawComplexControl(
    ComplexControl control, const QStyleOptionComplex* option, QPainter* painter, const QWidget* widget) const
{
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option);
    const auto* spin = qstyleoption_cast<const QStyleOptionSpinBox*>(option);
    if ((control == CC_ComboBox && box && box->frame) || (control == CC_SpinBox && spin && spin->frame))
        drawFrame(*painter, *option);
}

} // namespace lockscope::ui
