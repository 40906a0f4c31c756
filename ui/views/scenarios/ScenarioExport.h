// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/views/scenarios/ScenarioRunner.h"
#include "ui/views/scenarios/TimelinePainter.h"

#include <QPalette>
#include <QSize>

#include <functional>

class QPainter;

namespace lockscope::ui {

// Makes files to give away, which are written elsewhere. `width` in pixels.
QByteArray timelineSvg(const Timeline& timeline, const QPalette& palette, int width,
    TimelinePainter::Head head = TimelinePainter::Head::WithTitle);
QByteArray timelinePng(const Timeline& timeline, const QPalette& palette, int width);
/// Returns the drawing of `paint` on paper of that size.
QByteArray drawingSvg(QSize size, const QString& title, const std::function<void(QPainter&)>& paint);
QByteArray drawingPng(QSize size, const QColor& ground, const std::function<void(QPainter&)>& paint);

/// Returns the JSON of `lockctl scenario run --json`; a list if there are several.
QByteArray jsonReport(const std::vector<ScenarioRunner::Ran>& runs);

} // namespace lockscope::ui
