// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/domain/Thresholds.h"

#include <QColor>
#include <QFont>
#include <QPalette>

#include <array>
#include <functional>
#include <optional>

class QApplication;
class QBrush;
class QIcon;
class QPainter;
class QPen;
class QRectF;
class QWidget;

namespace lockscope::ui {

enum class ThemeMode : quint8 { System, Light, Dark };
QString themeModeName(ThemeMode mode); ///< "system", "light", "dark"
std::optional<ThemeMode> themeModeFromName(const QString& name);

/// Colours by meaning, for one brightness. Each is readable on the palette's base and window colour
/// (contrast of at least 4.5:1 for the text ones).
struct ThemeColors {
    bool dark = false;
    QColor ok; ///< text and dots
    QColor amber;
    QColor red;
    QColor muted; ///< secondary text
    QColor accent; ///< links, the current page
    QColor amberFill; ///< backgrounds of tiles, banners and cells
    QColor redFill;
    QColor okFill;
    QColor infoFill;
    QColor card; ///< background of tiles and chart cards
    QColor border; ///< hair lines
    QColor grid; ///< of charts
    QColor sideBar;
    QColor other; ///< the chart series "all the rest"
    std::array<QColor, 5> series; ///< after Okabe and Ito: told apart by colour-blind people too

    QColor sign(AgeLevel level) const; ///< and of the words that say it: green for Normal
    QColor text(AgeLevel level, const QPalette& palette) const;
    QColor fill(AgeLevel level) const; ///< the card colour for Normal
};

namespace theme {

/// Style and palette of the whole program. System: what the platform brings.
void apply(QApplication& app, ThemeMode mode);
/// Light or dark, whatever the program shows: for pictures. Not for System.
QPalette paletteOf(ThemeMode mode);
/// The colours that go with a palette. Cheap: ask at each paint, so that a change of theme needs no signal.
const ThemeColors& colors(const QPalette& palette);
const ThemeColors& colors(); ///< of the program's palette

/// The program's font, scaled; digits of equal width.
QFont scaled(double factor, QFont::Weight weight = QFont::Normal);
QFont scaled(QFont font, double factor, QFont::Weight weight = QFont::Normal); ///< the same of another font
QFont monospace();
/// "●", "▲", "■": the sign that goes with a level, so that colour is never alone.
QString levelSign(AgeLevel level);
/// The text behind the sign of its level; as it is for Normal.
QString withSign(AgeLevel level, const QString& text);
/// The colour of a widget's text; all else stays as its parent and the theme have it.
void setInk(QWidget* widget, const QColor& color, QPalette::ColorRole role = QPalette::WindowText);
/// Calls `act` each time the colours of a widget have changed.
void whenRecolored(QWidget& widget, std::function<void()> act);
/// Paints a line of text in the painter's font and pen, from wherever it is, shortened to the width of
/// `space`.
void paintText(QPainter& painter, const QRectF& space, const QString& text,
    Qt::TextElideMode elide = Qt::ElideRight, Qt::Alignment alignment = Qt::AlignLeft | Qt::AlignVCenter);
/// Paints a box with round corners. The painter keeps edge and fill.
void paintBox(QPainter& painter, const QRectF& box, double radius, const QPen& edge, const QBrush& fill);
/// Frames a widget that has the focus.
void paintFocus(QPainter& painter, const QWidget& widget);
/// Fills a widget as a card with round corners.
void paintCard(QWidget& widget, const QColor& edge, const QColor& fill);
/// A line-drawn icon of resources/icons/NAME.svg, coloured for the palette.
QIcon icon(const QString& name, const QColor& color = {});

} // namespace theme

} // namespace lockscope::ui
