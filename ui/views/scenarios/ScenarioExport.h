// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/kit/widgets/SaveDialog.h"
#include "ui/views/scenarios/ScenarioRunner.h"
#include "ui/views/scenarios/TimelinePainter.h"

#include <QPalette>
#include <QSize>

#include <functional>
#include <vector>

class QPainter;

namespace lockscope::ui {

class ComparisonPanel;

// Makes files to give away, which are written elsewhere. `width` in pixels.
QByteArray timelineSvg(const Timeline& timeline, const QPalette& palette, int width,
    TimelinePainter::Head head = TimelinePainter::Head::WithTitle);
QByteArray timelinePng(const Timeline& timeline, const QPalette& palette, int width);
/// Returns the drawing of `paint` on paper of that size.
QByteArray drawingSvg(QSize size, const QString& title, const std::function<void(QPainter&)>& paint);
QByteArray drawingPng(QSize size, const QColor& ground, const std::function<void(QPainter&)>& paint);

/// Returns the JSON of `lockctl scenario run --json`; a list if there are several.
QByteArray jsonReport(const std::vector<ScenarioRunner::Ran>& runs);

/// Returns one page that needs nothing else, and lets nothing else in: verdicts, figures side by side, every
/// session, and timelines to zoom into. In the reader's brightness. Below a megabyte: of runs with very many
/// events, the shortest ones are summed up.
QByteArray htmlReport(const std::vector<ScenarioRunner::Ran>& runs);

struct PackedTimelines {
    QByteArray data;
    int width = 0; ///< spans shorter than a pixel at this width are summed up; 0: everything is there,
                   ///< -1: nothing
};

/// Returns timelines as resources/report/report.js reads them: JSON, deflated, in base64, at most
/// `maxBytes`. If it takes that, spans too short to be seen at some width are summed up, as on the screen;
/// if even that is too much, there are none.
PackedTimelines packedTimelines(const std::vector<TimelinePtr>& timelines, qsizetype maxBytes);
/// The same before it is packed. `width` in pixels: the finest part that is told apart; 0 = everything.
QByteArray timelineData(const std::vector<TimelinePtr>& timelines, int width);

/// A menu of all that can be given away of what has run.
class ExportButton : public ExportMenu {
    Q_OBJECT

public:
    /// `comparison`, which outlives it, has the charts and the table.
    explicit ExportButton(const ComparisonPanel& comparison, QWidget* parent = nullptr);

    /// All that have run; the timeline is of `shown`.
    void show(const std::vector<ScenarioRunner::Ran>& runs, std::size_t shown);

    enum class What { TimelineSvg, TimelinePng, ChartsSvg, ChartsPng, Html, Json, Csv, Markdown };
    /// Opens a dialog.
    void ask(What what);
    /// Emits `statusMessage`.
    void exportTo(What what, const QString& path);

private:
    QByteArray exported(What what) const;

    const ComparisonPanel& m_comparison;
    std::vector<ScenarioRunner::Ran> m_runs;
    std::size_t m_shown = 0; ///< of m_runs
};

} // namespace lockscope::ui
