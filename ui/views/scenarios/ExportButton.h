// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/kit/widgets/ExportMenu.h"
#include "ui/views/scenarios/ScenarioRunner.h"

#include <vector>

namespace lockscope::ui {

class ComparisonPanel;

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
