// SPDX-FileCopyrightText: 2026 The Lockscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/db/ServerProfile.h"
#include "ui/views/scenarios/ScenarioRunner.h"

#include <QPointer>
#include <QWidget>

#include <optional>

class QLabel;
class QSettings;
class QTabWidget;
class QVBoxLayout;

namespace lockscope::ui {

class ComparisonPanel;
class ExportButton;
class Presentation;
class StepPanel;
class TimelinePanel;
class VerdictBanner;

/// Shows the results of runs: the verdict, and as tabs the timeline, the comparison and the steps. In its
/// place on the page, or on the whole screen for a hall: then without the parts that are only for the person
/// who works with it.
class ScenarioStage : public QWidget {
    Q_OBJECT

public:
    using FindScenario = std::function<scenario::ScenarioPtr(const QString& id)>;
    /// `findScenario` makes that one the page's and returns it; null if there is none.
    ScenarioStage(QSettings& settings, FindScenario findScenario, QWidget* parent = nullptr);
    ~ScenarioStage() override;
    Q_DISABLE_COPY_MOVE(ScenarioStage)

    StepPanel& steps() const { return *m_steps; }
    ExportButton& exporting() const { return *m_export; }
    bool hasRuns() const { return !m_runs.empty(); }
    TimelinePtr timeline() const; ///< that is shown; null = none

    /// Shows, before anything has run, the words where the timeline will be. `offersTour`: and a button.
    void clear(const QString& title, const QString& hint, bool offersTour);
    void showLive(const TimelinePtr& timeline); ///< of a run that goes on
    /// Adds one more of `requested` runs.
    void add(const ScenarioRunner::Ran& run, qsizetype requested);
    /// Takes the verdict on the order in which the last run takes its locks.
    void noteLockOrder(const QString& verdict);
    /// Notes that no more are to come.
    void showEnd();

    enum class Tab { Timeline, Comparison, Steps };
    Tab tab() const;
    void showTab(Tab tab);

    /// Sets the server of the runs, for the presentation; nothing: there is none. A presentation ends.
    void setServer(const std::optional<db::ServerProfile>& server);
    /// F11: the whole screen; again, or Escape: back.
    void togglePresentation();
    void endPresentation();
    bool isPresented() const;

    void saveLayout(QSettings& settings) const;

Q_SIGNALS:
    void tabChanged();
    void tourRequested();
    void statusMessage(const QString& text);
    void csvRequested();
    void locksRequested(const lockscope::ui::TimelinePtr& timeline, int number, const QString& subject);

private:
    void showOne(std::size_t index);
    void showTitle();
    void showVerdict();
    void setMagnification(double factor);
    void goHome();

    QLabel* m_title; ///< the scenario and the variant that are shown: the form may be at another one
    VerdictBanner* m_verdict;
    QTabWidget* m_tabs;
    TimelinePanel* m_timeline;
    ComparisonPanel* m_comparison;
    StepPanel* m_steps;
    ExportButton* m_export;
    QWidget* m_corner; ///< of the tabs: buttons
    std::vector<ScenarioRunner::Ran> m_runs; ///< that are over
    std::size_t m_shown = 0; ///< of m_runs
    bool m_isComparison = false; ///< the verdict is about all of them
    std::optional<db::ServerProfile> m_server;
    QPointer<Presentation> m_presentation;
    QVBoxLayout* m_column;
    QWidget* m_content; ///< verdict and tabs: here, or in the presentation
};

} // namespace lockscope::ui
