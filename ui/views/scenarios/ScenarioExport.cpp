// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/ScenarioExport.h"

#include "core/base/EnumTable.h"
#include "core/base/PlainFile.h"
#include "core/report/Writer.h"
#include "core/scenario/run/FreeRun.h"
#include "ui/kit/widgets/ToolTipText.h"
#include "ui/views/scenarios/ComparisonPanel.h"
#include "ui/views/scenarios/RunText.h"
#include "ui/views/scenarios/Timeline.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QCryptographicHash>
#include <QGuiApplication>
#include <QHash>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPainter>
#include <QScreen>
#include <QSvgGenerator>

#include <algorithm>
#include <array>
#include <utility>

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

constexpr qsizetype maxDataBytes = 800'000; ///< bytes; the rest of the page is far below 100 000

QString htmlTable(const report::Section& section)
{
    QString html;
    report::Writer(report::Form::Html, {}, [&html](const QString& text) { html += text; }).write(section);
    return html;
}

const scenario::Variant& variantOf(const scenario::RunReport& report)
{
    return *report.scenario->find(report.variant);
}

/// Returns the class in the page's style.
QString styleOf(VerdictKind kind)
{
    static constexpr EnumTable<VerdictKind> styles({u"broken", u"open", u"held"});
    return styles[kind].toString();
}

QString comparison(const std::vector<RunReportPtr>& reports)
{
    report::Section section = scenario::toReport(reports).sections.front();
    for (report::Column& column : section.columns)
        if (column.shown == report::Shown::OnRequest && column.key != u"verdict") // that of each stands below
            column.shown = report::Shown::Always;
    return htmlTable(section);
}

/// Returns a file of resources/report, as it is put into the page.
QByteArray part(const QString& name)
{
    return builtInFile(u"/resources/report/"_s + name);
}

/// Readers of XML, too, take what is inside for text.
QByteArray script()
{
    return "//<![CDATA[\n" + part(u"report.js"_s) + "//]]>";
}

QByteArray hashOf(const QByteArray& content)
{
    return "'sha256-" + QCryptographicHash::hash(content, QCryptographicHash::Sha256).toBase64() + "'";
}

QString pageHead(const QString& title, const QByteArray& style)
{
    const QByteArray policy = "default-src 'none'; base-uri 'none'; form-action 'none'; style-src "
        + hashOf(style) + "; script-src " + hashOf(script());
    return QStringLiteral(
        "<head>\n<meta charset=\"utf-8\"/>\n<meta http-equiv=\"Content-Security-Policy\" content=\"%1\"/>\n<meta name=\"viewport\" content=\"width=device-width\"/>\n"
        "<title>%2</title>\n<style>%3</style>\n</head>\n")
        .arg(QString::fromLatin1(policy), htmlText(title), QString::fromUtf8(style));
}

QString timelineHtml(const Timeline& timeline)
{
    const auto button = [](const char* act, const QString& text, const QString& title) {
        return QStringLiteral(
            "<button type=\"button\" data-act=\"%1\" title=\"%3\" aria-label=\"%3\">%2</button>")
            .arg(QLatin1String(act), text, title);
    };
    const auto swatch = [](const char* kind, const QString& words) {
        return QStringLiteral("<span><span class=\"swatch %1\"></span>%2</span>")
            .arg(QLatin1String(kind), words);
    };
    return QStringLiteral(
        "<div class=\"timeline\"><canvas tabindex=\"0\" role=\"img\" aria-label=\"%1\"></canvas>\n<div class=\"tip\" hidden=\"hidden\"></div>\n"
        "<div class=\"tools\">%2</div></div>\n")
        .arg(htmlText(describeTimeline(timeline)),
            QStringList{button("previous", u"◀!"_s, u"The loss before"_s),
                button("next", u"!▶"_s, u"The next loss"_s), button("further", u"−"_s, u"Further away"_s),
                button("closer", u"+"_s, u"Closer"_s), button("all", u"All"_s, u"The whole run"_s),
                swatch("working", laneStateName(LaneState::Working)),
                swatch("holding", laneStateName(LaneState::Holding)),
                swatch("waiting", laneStateName(LaneState::Waiting)), swatch("lost", u"something was lost"_s),
                u"<span>Click it, then the wheel zooms; drag to move.</span>"_s}
                .join(QLatin1Char('\n')));
}

/// Says what the timelines leave out; empty if nothing.
QString omissions(const std::vector<TimelinePtr>& timelines, const PackedTimelines& packed)
{
    QStringList texts;
    if (packed.width < 0)
        texts << u"The timelines are left out: they are too long for one page."_s;
    else if (packed.width > 0)
        texts
            << u"The timelines are too long to be shown whole: what is shorter than 1/%L1 of a run stands together with what is beside it."_s
                   .arg(packed.width);
    const bool isCut = std::ranges::any_of(timelines, [](const TimelinePtr& timeline) {
        return std::ranges::any_of(timeline->lanes, &TimelineLane::isCut);
    });
    if (isCut)
        texts << u"Where a session did more than was kept of it, the rest of its line is empty."_s;
    return texts.join(QLatin1Char(' '));
}

QString runSection(const ScenarioRunner::Ran& run, bool hasTimeline)
{
    const scenario::RunReport& report = *run.report;
    const scenario::Variant& variant = variantOf(report);
    QString html = QStringLiteral("<section>\n<h2>%1</h2>\n<p class=\"verdict %2\">%3</p>\n")
                       .arg(htmlText(variant.title), styleOf(verdictKind(report)), htmlText(report.verdict));
    html += QStringLiteral("<p class=\"note\">%1</p>\n")
                .arg(u"%1 sessions on %2 for %3, seed %4."_s.arg(QString::number(report.sessions.size()),
                    engineName(report.engine), shortDuration(microseconds(report.duration).count()),
                    QString::number(report.seed)));
    if (hasTimeline)
        html += timelineHtml(*run.timeline);
    return html + htmlTable(scenario::sessionsSection(report)) + QStringLiteral("</section>\n");
}

QString summary(const std::vector<RunReportPtr>& reports)
{
    if (reports.size() < 2)
        return {};
    const ComparisonText text = comparisonText(reports);
    return QStringLiteral("<p class=\"verdict %1\">%2</p>\n<p>%3</p>\n")
        .arg(styleOf(text.kind), htmlText(text.headline), htmlText(text.words));
}

/// A list of numbers as JSON has it, times as differences: they are short then, and alike. Written at once,
/// because there may be a million.
class Times {
public:
    void add(qint64 from, qint64 to, std::initializer_list<qint64> rest)
    {
        put(from - m_at);
        put(to - from);
        for (const qint64 each : rest)
            put(each);
        m_at = to;
    }
    void put(qint64 number)
    {
        if (m_list.size() > 1)
            m_list += ',';
        m_list += QByteArray::number(number);
    }
    QByteArray list() const { return m_list + ']'; }

private:
    QByteArray m_list{"["};
    qint64 m_at = 0;
};

/// Numbers again those subjects of a lane that are used: a long run has one for each item.
class Subjects {
public:
    explicit Subjects(const TimelineLane& lane)
        : m_lane(lane)
    {
    }
    qint64 numberOf(quint32 subject)
    {
        const auto known = m_numbers.constFind(subject);
        if (known != m_numbers.cend())
            return *known;
        const qint64 number = m_names.size();
        m_numbers.insert(subject, number);
        m_names.append(m_lane.subjects.value(subject));
        return number;
    }
    QJsonArray names() const { return m_names; }

private:
    const TimelineLane& m_lane;
    QHash<quint32, qint64> m_numbers{{0, 0}};
    QJsonArray m_names{QString()};
};

QByteArray spansOf(const TimelineLane& lane, const TimeScale& scale, Subjects& subjects)
{
    Times times;
    if (scale.width <= 0) {
        for (const LaneSpan& span : lane.spans)
            times.add(span.from, span.to, {static_cast<qint64>(span.state), subjects.numberOf(span.subject)});
        return times.list();
    }
    for (const LanePiece& piece : piecesOf(lane.spans, scale))
        times.add(scale.at(piece.x), scale.at(piece.x + piece.width),
            {static_cast<qint64>(piece.state), subjects.numberOf(piece.span ? piece.span->subject : 0)});
    return times.list();
}

/// Returns the first of the marks of a kind that lie in one pixel.
QByteArray marksOf(const TimelineLane& lane, const TimeScale& scale, Subjects& subjects)
{
    Times times;
    std::array<int, markKinds> last{};
    last.fill(-1);
    for (const LaneMark& mark : lane.marks) {
        const int x = static_cast<int>(scale.xOf(mark.at));
        if (scale.width > 0 && std::exchange(last[static_cast<std::size_t>(mark.kind)], x) == x)
            continue;
        times.add(
            mark.at, mark.at, {static_cast<qint64>(mark.kind), subjects.numberOf(mark.subject), mark.other});
    }
    return times.list();
}

QByteArray overlapsOf(const TimelineLane& lane, const TimeScale& scale, Subjects& subjects)
{
    Times times;
    if (scale.width <= 0) {
        qint64 free = 0; // sections may lie in each other
        for (const SectionSpan& each : lane.overlaps) {
            const qint64 from = std::max(each.from, free);
            if (from < each.to)
                times.add(from, each.to, {subjects.numberOf(each.subject)});
            free = std::max(free, each.to);
        }
        return times.list();
    }
    const qint64 subject = subjects.numberOf(lane.overlaps.empty() ? 0 : lane.overlaps.front().subject);
    for (const PixelRun& run : pixelsOf(lane.overlaps, scale))
        times.add(scale.at(run.x), scale.at(run.x + run.width), {subject});
    return times.list();
}

QByteArray lossesOf(const Timeline& timeline, const TimeScale& scale)
{
    Times losses;
    int last = -1;
    for (const qint64 at : timeline.losses) {
        const int x = static_cast<int>(scale.xOf(at));
        if (scale.width <= 0 || std::exchange(last, x) != x)
            losses.put(at);
    }
    return losses.list();
}

QByteArray textOf(const QJsonArray& array)
{
    return QJsonDocument(array).toJson(QJsonDocument::Compact);
}

/// Spans, marks and overlaps name their subjects by number.
QByteArray laneData(const TimelineLane& lane, const TimeScale& scale)
{
    Subjects subjects(lane);
    const QByteArray times = ",\"spans\":" + spansOf(lane, scale, subjects) + ",\"marks\":"
        + marksOf(lane, scale, subjects) + ",\"overlaps\":" + overlapsOf(lane, scale, subjects) + '}';
    // Names are what others wrote: Qt quotes them.
    QByteArray names =
        QJsonDocument(QJsonObject{{u"name"_s, laneName(lane)}, {u"subjects"_s, subjects.names()}})
            .toJson(QJsonDocument::Compact);
    names.chop(1);
    return names + times;
}

QByteArray dataOf(const Timeline& timeline, int width)
{
    const TimeScale scale{0, std::max<qint64>(timeline.end, 1), width};
    QByteArrayList lanes;
    for (const TimelineLane& lane : timeline.lanes)
        lanes << laneData(lane, scale);
    return "{\"end\":" + QByteArray::number(timeline.end) + ",\"losses\":" + lossesOf(timeline, scale)
        + ",\"lanes\":[" + lanes.join(',') + "]}";
}

/// Returns the rough number of parts to write.
qsizetype countOf(const std::vector<TimelinePtr>& timelines)
{
    std::size_t count = 0;
    for (const TimelinePtr& timeline : timelines)
        for (const TimelineLane& lane : timeline->lanes)
            count += lane.spans.size() + lane.marks.size() + lane.overlaps.size();
    return static_cast<qsizetype>(count);
}

ExportMenu::Form formOf(ExportButton::What what)
{
    using enum ExportMenu::Form;
    static constexpr EnumTable<ExportButton::What, ExportMenu::Form> forms(
        {Svg, Png, Svg, Png, Html, Json, Csv, Markdown});
    return forms[what];
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

QByteArray timelineData(const std::vector<TimelinePtr>& timelines, int width)
{
    QByteArrayList runs;
    for (const TimelinePtr& timeline : timelines)
        runs << dataOf(*timeline, width);
    QJsonArray states;
    for (const LaneState state :
        {LaneState::Away, LaneState::Working, LaneState::Holding, LaneState::Waiting, LaneState::Dead})
        states << laneStateName(state);
    QJsonArray marks;
    for (std::size_t i = 0; i < markKinds; ++i) {
        const auto kind = static_cast<MarkKind>(i);
        marks << QJsonArray{
            QString(markLetter(kind)), markName(kind), !timelines.empty() && timelines.front()->isLoss(kind)};
    }
    return "{\"states\":" + textOf(states) + ",\"marks\":" + textOf(marks) + ",\"runs\":[" + runs.join(',')
        + "]}";
}

PackedTimelines packedTimelines(const std::vector<TimelinePtr>& timelines, qsizetype maxBytes)
{
    // More than so many never fit: not even tried.
    const qsizetype maximum = maxBytes / 2;
    const qsizetype all = countOf(timelines);
    qsizetype lanes = 0;
    for (const TimelinePtr& timeline : timelines)
        lanes += std::ssize(timeline->lanes);
    for (const int width : {0, 40'000, 20'000, 10'000, 5'000, 2'500, 1'200, 600, 300, 100, 30}) {
        const qsizetype shownCount = width == 0 ? all : std::min<qsizetype>(all, lanes * width);
        if (shownCount > maximum)
            continue;
        // Qt's own form is the zlib one behind four bytes of length.
        QByteArray packed = qCompress(timelineData(timelines, width), 6).mid(4).toBase64();
        if (packed.size() <= maxBytes)
            return {std::move(packed), width};
    }
    return {{}, -1};
}

QByteArray htmlReport(const std::vector<ScenarioRunner::Ran>& runs)
{
    if (runs.empty())
        return {};
    const scenario::Scenario& scenario = *runs.front().report->scenario;
    const QByteArray style = part(u"report.css"_s);
    QString html = QStringLiteral("<!DOCTYPE html>\n<html lang=\"en\">\n") + pageHead(scenario.title, style);
    html += QStringLiteral("<body>\n<h1>%1</h1>\n<p>%2</p>\n<p class=\"note\">%3</p>\n")
                .arg(htmlText(scenario.title), htmlText(scenario.story),
                    u"What has to hold: %1"_s.arg(htmlText(scenario.invariant.meaning)));
    std::vector<RunReportPtr> reports;
    std::vector<TimelinePtr> timelines;
    for (const auto& run : runs) {
        reports.push_back(run.report);
        timelines.push_back(run.timeline);
    }
    html += summary(reports) + comparison(reports);
    const PackedTimelines packed = packedTimelines(timelines, maxDataBytes);
    const bool hasTimelines = !packed.data.isEmpty();
    if (hasTimelines)
        html += u"<noscript><p class=\"note\">The timelines need JavaScript.</p></noscript>\n"_s;
    if (const QString note = omissions(timelines, packed); !note.isEmpty())
        html += QStringLiteral("<p class=\"note\">%1</p>\n").arg(htmlText(note));
    for (const auto& run : runs)
        html += runSection(run, hasTimelines);
    html +=
        QStringLiteral("<p class=\"note\">%1</p>\n")
            .arg(u"Made by Lockscope %1. A race that was not observed is not proven to be impossible."_s.arg(
                htmlText(QCoreApplication::applicationVersion())));
    QByteArray page = html.toUtf8();
    if (hasTimelines)
        page += "<script type=\"text/plain\" id=\"data\">" + packed.data + "</script>\n<script>" + script()
            + "</script>\n";
    return page + "</body>\n</html>\n";
}

ExportButton::ExportButton(const ComparisonPanel& comparison, QWidget* parent)
    : ExportMenu(u"exportScenario"_s, u"Report, timeline, charts or figures of what has run"_s, parent)
    , m_comparison(comparison)
{
    const auto add = [this](const QString& text, What what) { addEntry(text, [this, what] { ask(what); }); };
    add(u"&Report as a page (HTML)…"_s, What::Html);
    add(u"Report for programs (&JSON)…"_s, What::Json);
    addSeparator();
    add(u"Timeline as &SVG…"_s, What::TimelineSvg);
    add(u"Timeline as &PNG…"_s, What::TimelinePng);
    addSeparator();
    add(u"Charts as SV&G…"_s, What::ChartsSvg);
    add(u"Charts as P&NG…"_s, What::ChartsPng);
    add(u"Table as &CSV…"_s, What::Csv);
    add(u"Table as &Markdown…"_s, What::Markdown);
}

void ExportButton::show(const std::vector<ScenarioRunner::Ran>& runs, std::size_t shown)
{
    m_runs = runs;
    m_shown = shown;
    setEnabled(!m_runs.empty());
}

void ExportButton::ask(What what)
{
    if (!m_runs.empty())
        askWhereTo(formOf(what), m_runs[m_shown].report->scenario->id,
            [this, what](const QString& path) { exportTo(what, path); });
}

QByteArray ExportButton::exported(What what) const
{
    const ScenarioRunner::Ran& run = m_runs[m_shown];
    constexpr int width = 1'400;
    const QSize charts = m_comparison.chartsSize();
    const auto paintCharts = [this](QPainter& painter) { m_comparison.paintCharts(painter); };
    switch (what) {
    case What::TimelineSvg:
        return timelineSvg(*run.timeline, palette(), width);
    case What::TimelinePng:
        return timelinePng(*run.timeline, palette(), width);
    case What::ChartsSvg:
        return drawingSvg(charts, run.report->scenario->title, paintCharts);
    case What::ChartsPng:
        return drawingPng(charts, palette().color(QPalette::Base), paintCharts);
    case What::Html:
        return htmlReport(m_runs);
    case What::Json:
        return jsonReport(m_runs);
    case What::Csv:
    case What::Markdown:
        break;
    }
    return rendered(m_comparison.report(), reportForm(formOf(what))).toUtf8();
}

void ExportButton::exportTo(What what, const QString& path)
{
    if (m_runs.empty())
        return;
    // Drawn here, with the fonts and colours of the window.
    write(path, [content = exported(what)]() -> Result<QByteArray> { return content; });
}

} // namespace lockscope::ui
