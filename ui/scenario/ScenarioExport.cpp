// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/scenario/ScenarioExport.h"

#include "ui/scenario/TimelineText.h"
#include "ui/scenario/VariantModel.h"
#include "ui/theme/PicturePalette.h"

#include <QBuffer>
#include <QCoreApplication>
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
    generator.setTitle(title.toHtmlEscaped());
    generator.setDescription(words.toHtmlEscaped());
    QPainter painter(&generator);
    paint(painter);
    painter.end();
    return paper.data();
}

TimeScale wholeRun(const Timeline& timeline, const TimelinePainter& drawing, int width)
{
    return {0, std::max<qint64>(timeline.end, 1), std::max(100, width - drawing.gutter() - 12)};
}

QString cell(const QString& text, const char* kind = "")
{
    return QStringLiteral("<td%1>%2</td>").arg(QLatin1String(kind), text.toHtmlEscaped());
}

QString number(const QString& text)
{
    return cell(text, " class=\"number\"");
}

/// A number with a bar as long as its part of the greatest.
QString bar(double value, double greatest, const QString& text, const char* kind = "bar")
{
    const double part = greatest > 0 ? std::max(value / greatest * 100, value > 0 ? 1.0 : 0.0) : 0;
    return QStringLiteral("<td class=\"number\">%1<div class=\"%2\" style=\"width:%3%\"></div></td>")
        .arg(text.toHtmlEscaped(), QLatin1String(kind))
        .arg(part, 0, 'f', 1);
}

/// The first ones stand over words, the others over numbers.
QString headRow(const QStringList& titles, qsizetype words)
{
    QString row;
    for (qsizetype i = 0; i < titles.size(); ++i)
        row += QStringLiteral("<th%1>%2</th>")
                   .arg(i < words ? QLatin1String() : QLatin1String(" class=\"number\""),
                       titles[i].toHtmlEscaped());
    return QStringLiteral("<tr>%1</tr>\n").arg(row);
}

const scenario::Variant& variantOf(const scenario::RunReport& report)
{
    return *report.scenario->find(report.variant);
}

QString verdictKind(const scenario::RunReport& report)
{
    if (report.violations.isBroken())
        return QStringLiteral("broken");
    return variantOf(report).isUnsafe || report.violations.tries == 0 ? QStringLiteral("open")
                                                                      : QStringLiteral("held");
}

QString comparison(const std::vector<ScenarioRunner::Ran>& runs)
{
    double speed = 0;
    double longest = 0;
    double violations = 0;
    for (const auto& run : runs) {
        speed = std::max(speed, run.report->roundsPerSecond());
        longest = std::max(longest, double(run.report->waits.longest().count()));
        violations = std::max(violations, double(run.report->violations.total()));
    }
    QString rows = headRow(
        {u"Variant"_s, u"Strategy"_s, u"Rounds per second"_s, u"Items per second"_s,
            u"Half of the waits below"_s, u"95 % below"_s, u"Longest wait"_s, u"Violations"_s, u"Tries"_s},
        2);
    for (const auto& run : runs) {
        const scenario::RunReport& report = *run.report;
        const scenario::Variant& variant = variantOf(report);
        const auto& waits = report.waits;
        const auto wait = [&](microseconds us) {
            return waits.count() > 0 ? shortDuration(us.count()) : QStringLiteral("–");
        };
        rows += QStringLiteral("<tr>") + cell(variant.title)
            + cell(variant.isUnsafe ? u"▲ unsafe"_s : variant.strategy)
            + bar(report.roundsPerSecond(), speed, rateText(report.roundsPerSecond()))
            + number(report.counts.processed > 0 ? rateText(report.itemsPerSecond()) : QStringLiteral("–"))
            + number(wait(waits.quantile(0.5))) + number(wait(waits.quantile(0.95)))
            + bar(double(waits.longest().count()), longest, wait(waits.longest()), "bar wait")
            + bar(double(report.violations.total()), violations, QString::number(report.violations.total()),
                "bar bad")
            + number(QString::number(report.violations.tries)) + QStringLiteral("</tr>\n");
    }
    return QStringLiteral("<table>\n%1</table>\n").arg(rows);
}

QString sessionTable(const scenario::RunReport& report)
{
    QString rows = headRow({u"Session"_s, u"Rounds"_s, u"Whole"_s, u"Processed"_s, u"Denied"_s,
                               u"Deadlock victim"_s, u"Waits"_s, u"Half below"_s, u"Longest"_s},
        1);
    for (const scenario::SessionReport& session : report.sessions) {
        const scenario::Counts& counts = session.log.counts;
        const auto& waits = session.log.waits;
        rows += QStringLiteral("<tr>") + cell(QStringLiteral("%1 %2").arg(session.number).arg(session.role));
        for (const qint64 count :
            {counts.rounds, counts.whole, counts.processed, counts.denied, counts.victims, waits.count()})
            rows += number(QString::number(count));
        rows += number(waits.count() > 0 ? shortDuration(waits.quantile(0.5).count()) : QStringLiteral("–"))
            + number(waits.count() > 0 ? shortDuration(waits.longest().count()) : QStringLiteral("–"))
            + QStringLiteral("</tr>\n");
    }
    return QStringLiteral("<table>\n%1</table>\n").arg(rows);
}

QString inlineSvg(const Timeline& timeline, ThemeMode mode)
{
    // So many lanes are read as a whole; the file stays small.
    const int width = timeline.lanes.size() > 40 ? 700 : 1'080;
    // The page itself has the title and the verdict.
    const QByteArray drawing =
        timelineSvg(timeline, theme::paletteOf(mode), width, TimelinePainter::Head::None);
    return QString::fromUtf8(drawing.mid(drawing.indexOf("<svg")));
}

QString runSection(const ScenarioRunner::Ran& run)
{
    const scenario::RunReport& report = *run.report;
    const scenario::Variant& variant = variantOf(report);
    QString html =
        QStringLiteral("<section>\n<h2>%1</h2>\n<p class=\"verdict %2\">%3</p>\n")
            .arg(variant.title.toHtmlEscaped(), verdictKind(report), report.verdict.toHtmlEscaped());
    html +=
        QStringLiteral("<p class=\"note\">%1</p>\n")
            .arg(u"%1 sessions on %2 for %3, seed %4."_s
                     .arg(QString::number(report.sessions.size()), engineName(report.engine),
                         shortDuration(microseconds(report.duration).count()), QString::number(report.seed))
                     .toHtmlEscaped());
    html += QStringLiteral("<div class=\"light\">%1</div>\n<div class=\"dark\">%2</div>\n")
                .arg(inlineSvg(*run.timeline, ThemeMode::Light), inlineSvg(*run.timeline, ThemeMode::Dark));
    return html + sessionTable(report) + QStringLiteral("</section>\n");
}

const char* const style = R"css(
:root { color-scheme: light dark; --base: #fff; --text: #1b2128; --muted: #5c6670; --line: #d8dde3;
  --bar: #0072b2; --wait: #e69f00; --bad: #b3261e; --broken: #fde3e1; --open: #fff1d6; --held: #e2f4e9; }
.dark { display: none; }
@media (prefers-color-scheme: dark) {
  :root { --base: #1f2329; --text: #e4e8ec; --muted: #9aa4af; --line: #363c45;
    --bar: #3aa0e0; --wait: #f0b429; --bad: #ff8a80; --broken: #4a1f1d; --open: #40320f; --held: #17382a; }
  .light { display: none; } .dark { display: block; } }
body { font: 15px/1.45 system-ui, sans-serif; background: var(--base); color: var(--text); margin: 2rem auto;
  max-width: 1100px; padding: 0 1rem; }
h1 { margin-bottom: .3rem; } h2 { margin-top: 2.2rem; } .note { color: var(--muted); }
.verdict { font-size: 1.35rem; font-weight: 600; padding: .7rem 1rem; border-radius: 7px; }
.broken { background: var(--broken); } .open { background: var(--open); } .held { background: var(--held); }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; } .number { text-align: right; font-variant-numeric: tabular-nums; }
.bar { height: 4px; background: var(--bar); margin-left: auto; } .wait { background: var(--wait); }
.bad { background: var(--bad); } svg { width: 100%; height: auto; border: 1px solid var(--line); }
)css";

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

QByteArray htmlReport(const std::vector<ScenarioRunner::Ran>& runs)
{
    if (runs.empty())
        return {};
    const scenario::Scenario& scenario = *runs.front().report->scenario;
    QString html =
        QStringLiteral("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                       "<title>%1</title>\n<style>%2</style>\n</head>\n<body>\n<h1>%1</h1>\n<p>%3</p>\n")
            .arg(scenario.title.toHtmlEscaped(), QLatin1String(style), scenario.story.toHtmlEscaped());
    html += QStringLiteral("<p class=\"note\">%1</p>\n")
                .arg(u"What has to hold: %1"_s.arg(scenario.invariant.meaning).toHtmlEscaped());
    html += comparison(runs);
    for (const auto& run : runs)
        html += runSection(run);
    html += QStringLiteral("<p class=\"note\">%1</p>\n</body>\n</html>\n")
                .arg(u"Made by Lockscope %1. A race that was not observed is not proven to be impossible."_s
                         .arg(QCoreApplication::applicationVersion())
                         .toHtmlEscaped());
    return html.toUtf8();
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
