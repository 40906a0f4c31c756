// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/scenario/ScenarioRunner.h"

#include <QToolButton>

#include <vector>

class QMenu;

namespace lockscope::ui {

class ComparisonPanel;

/// A menu of all that can be given away of what has run.
class ExportButton : public QToolButton {
    Q_OBJECT

public:
    /// `comparison`, which outlives it, has the charts and the table.
    explicit ExportButton(const ComparisonPanel& comparison, QWidget* parent = nullptr);

    /// All that have run; the timeline is of `shown`.
    void show(const std::vector<ScenarioRunner::Ran>& runs, std::size_t shown);

    enum class What { TimelineSvg, TimelinePng, ChartsSvg, ChartsPng, Html, Json, Csv };
    /// Opens a dialog.
    void askWhereTo(What what);
    /// Told by `statusMessage`.
    void exportTo(What what, const QString& path);

Q_SIGNALS:
    void statusMessage(const QString& text);

private:
    void openMenu();
    QByteArray exported(What what) const;

    const ComparisonPanel& m_comparison;
    QMenu* m_menu;
    std::vector<ScenarioRunner::Ran> m_runs;
    std::size_t m_shown = 0; ///< of m_runs
};

} // namespace lockscope::ui
