// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/scenarios/ExportButton.h"

#include "core/report/Writer.h"
#include "ui/views/scenarios/ComparisonPanel.h"
#include "ui/views/scenarios/HtmlReport.h"
#include "ui/views/scenarios/ScenarioExport.h"

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

ExportMenu::Form formOf(ExportButton::What what)
{
    using What = ExportButton::What;
    using Form = ExportMenu::Form;
    switch (what) {
    case What::TimelineSvg:
    case What::ChartsSvg:
        return Form::Svg;
    case What::TimelinePng:
    case What::ChartsPng:
        return Form::Png;
    case What::Html:
        return Form::Html;
    case What::Json:
        return Form::Json;
    case What::Markdown:
        return Form::Markdown;
    case What::Csv:
        break;
    }
    return Form::Csv;
}

} // namespace

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
