// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/scenario/ExportButton.h"

#include "core/base/WriteFile.h"
#include "ui/scenario/ComparisonPanel.h"
#include "ui/scenario/HtmlReport.h"
#include "ui/scenario/ScenarioExport.h"
#include "ui/widgets/SaveDialog.h"
#include "ui/widgets/TableView.h"

#include <QDir>
#include <QMenu>

namespace lockscope::ui {

using namespace Qt::StringLiterals;

namespace {

struct Form {
    QString filter;
    QString ending;
};

Form formOf(ExportButton::What what)
{
    using What = ExportButton::What;
    switch (what) {
    case What::TimelineSvg:
    case What::ChartsSvg:
        return {u"Drawing (*.svg)"_s, QStringLiteral("svg")};
    case What::TimelinePng:
    case What::ChartsPng:
        return {u"Picture (*.png)"_s, QStringLiteral("png")};
    case What::Html:
        return {u"Page (*.html)"_s, QStringLiteral("html")};
    case What::Json:
        return {u"JSON (*.json)"_s, QStringLiteral("json")};
    case What::Csv:
        break;
    }
    return {u"Table (*.csv)"_s, QStringLiteral("csv")};
}

} // namespace

ExportButton::ExportButton(const ComparisonPanel& comparison, QWidget* parent)
    : QToolButton(parent)
    , m_comparison(comparison)
    , m_menu(new QMenu(this))
{
    setObjectName(QStringLiteral("exportScenario"));
    setText(u"E&xport ▾"_s);
    setToolTip(u"Report, timeline, charts or figures of what has run"_s);
    setAutoRaise(true);
    const auto add = [&](const QString& text, What what) {
        connect(m_menu->addAction(text), &QAction::triggered, this, [this, what] { askWhereTo(what); });
    };
    add(u"&Report as a page (HTML)…"_s, What::Html);
    add(u"Report for programs (&JSON)…"_s, What::Json);
    m_menu->addSeparator();
    add(u"Timeline as &SVG…"_s, What::TimelineSvg);
    add(u"Timeline as &PNG…"_s, What::TimelinePng);
    m_menu->addSeparator();
    add(u"Charts as SV&G…"_s, What::ChartsSvg);
    add(u"Charts as P&NG…"_s, What::ChartsPng);
    add(u"Table as &CSV…"_s, What::Csv);
    connect(this, &QToolButton::clicked, this, &ExportButton::openMenu);
    setEnabled(false);
}

/// Not by setMenu(): its arrow sits on the last letter.
void ExportButton::openMenu()
{
    const QSize size = m_menu->sizeHint();
    m_menu->popup(mapToGlobal(QPoint(width() - size.width(), height())));
}

void ExportButton::show(const std::vector<ScenarioRunner::Ran>& runs, std::size_t shown)
{
    m_runs = runs;
    m_shown = shown;
    setEnabled(!m_runs.empty());
}

void ExportButton::askWhereTo(What what)
{
    if (m_runs.empty())
        return;
    const Form form = formOf(what);
    askWhereToSave(*this, u"Export"_s, form.filter,
        QStringLiteral("%1.%2").arg(m_runs[m_shown].report->scenario->id, form.ending),
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
        break;
    }
    return m_comparison.table().toCsv().toUtf8();
}

void ExportButton::exportTo(What what, const QString& path)
{
    if (m_runs.empty())
        return;
    const auto written = writeFile(path, exported(what));
    Q_EMIT statusMessage(
        written ? u"Written to %1."_s.arg(QDir::toNativeSeparators(path)) : written.error().toString());
}

} // namespace lockscope::ui
