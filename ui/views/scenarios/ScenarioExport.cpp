// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/ScenarioExport.h"

#include "ui/kit/widgets/ToolTipText.h"
#include "ui/views/scenarios/TimelineText.h"

#include <QBuffer>
#include <QGuiApplication>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QPainter>
#include <QScreen>
#include <QSvgGenerator>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double pngScale = 2; ///< sharp on paper and on screens of today

QByteArray svg(
    QSize size, const QString& title, const QString& words, const std::function<void(QPainter&)>& paint)
{
    QBuffer paper;
    QSvgGenerator generator;
    generator.setOutputDevice(&paper);
    // Letters are measured for the screen: with another one here they would not fit their places.
    generator.setResolution(qRound(QGuiApplication::primaryScreen()->logicalDotsPerInch()));
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    // Qt writes these two as they are, unlike the texts in the drawing: markup in a scenario's title would
    // become part of the page.
    generator.setTitle(htmlText(title));
    generator.setDescription(htmlText(words));
    QPainter painter(&generator);
    paint(painter);
    painter.end();
    return paper.data();
}

TimeScale wholeRun(const Timeline& timeline, const TimelinePainter& drawing, int width)
{
    return {0, std::max<qint64>(timeline.end, 1), std::max(100, width - drawing.gutter() - 12)};
}

} // namespace

QByteArray timelineSvg(
    const Timeline& timeline, const QPalette& palette, int width, TimelinePainter::Head head)
{
    const TimelinePainter drawing(timeline, palette, QGuiApplication::font());
    return svg(drawing.wholeSize(width, head), timeline.scenario->title, describeTimeline(timeline),
        [&](QPainter& painter) { drawing.paintWhole(painter, wholeRun(timeline, drawing, width), head); });
}

QByteArray timelinePng(const Timeline& timeline, const QPalette& palette, int width)
{
    const TimelinePainter drawing(timeline, palette, QGuiApplication::font());
    return drawingPng(drawing.wholeSize(width), palette.color(QPalette::Base),
        [&](QPainter& painter) { drawing.paintWhole(painter, wholeRun(timeline, drawing, width)); });
}

QByteArray drawingSvg(QSize size, const QString& title, const std::function<void(QPainter&)>& paint)
{
    return svg(size, title, {}, paint);
}

QByteArray drawingPng(QSize size, const QColor& ground, const std::function<void(QPainter&)>& paint)
{
    QImage image((QSizeF(size) * pngScale).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(pngScale);
    image.fill(ground);
    QPainter painter(&image);
    paint(painter);
    painter.end();
    QBuffer file;
    file.open(QIODevice::WriteOnly);
    image.save(&file, "PNG");
    return file.data();
}

QByteArray jsonReport(const std::vector<ScenarioRunner::Ran>& runs)
{
    if (runs.size() == 1)
        return QJsonDocument(scenario::toJson(*runs.front().report)).toJson();
    QJsonArray all;
    for (const auto& run : runs)
        all.append(scenario::toJson(*run.report));
    return QJsonDocument(all).toJson();
}

} // namespace lockscope::ui
